import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

export const MAX_LINES = 200
/** Of each function's log: the newest bytes, more than the work of a day on one machine. */
const READ_BYTES = 2 * 1024 * 1024

const logRecord = z.looseObject({
  timestamp: z.string(),
  level: z.string(),
  message: z.string(),
  service: z.string().catch(''),
  correlationId: z.string(),
})

export type LogRecord = z.output<typeof logRecord>

/** The newest lines about a piece of work, the oldest first. `isComplete` is false when there may be older ones. */
export const readLogLines = async (
  folder: string,
  correlationId: string,
): Promise<{ lines: LogRecord[]; isComplete: boolean }> => {
  const names = (await readdir(folder).catch(() => [])).filter(name => name.endsWith('.log'))
  const files = await Promise.all(names.map(name => readEnd(join(folder, name))))
  const found = files
    .flatMap(({ text }) => text.split('\n'))
    // A look at the text spares the parser nearly all lines.
    .filter(line => line.includes(correlationId))
    .flatMap(line => parse(line))
    .filter(record => record.correlationId === correlationId)
    .sort((a, b) => a.timestamp.localeCompare(b.timestamp))
  const isComplete = found.length <= MAX_LINES && files.every(({ isWhole }) => isWhole)
  return { lines: found.slice(-MAX_LINES), isComplete }
}

const readEnd = async (path: string): Promise<{ text: string; isWhole: boolean }> => {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    const from = Math.max(0, size - READ_BYTES)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from)
    return { text: buffer.toString('utf8', 0, bytesRead), isWhole: from === 0 }
  } finally {
    await file.close()
  }
}

/** Functions also print what is no record, and the first line that is read may be half of one. */
const parse = (line: string): LogRecord[] => {
  try {
    const { data } = logRecord.safeParse(JSON.parse(line))
    return data === undefined ? [] : [data]
  } catch {
    return []
  }
}
