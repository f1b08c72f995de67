import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { type Output, styleOf } from '../shell/output.ts'
import { printable } from '../shell/printable.ts'

interface LogQuery {
  dataDir: string
  /** A part of the function's name. */
  name: string | undefined
  lines: number
  /** Goes on with new lines until it fires. */
  followedUntil: AbortSignal | undefined
}

interface LogLine {
  function: string
  text: string
  /** Nothing when the line is none of a logger. */
  record: z.infer<typeof logRecord> | undefined
}

const LOOK_EVERY_MS = 500
/** More than the last lines that anybody asks for. */
const READ_BYTES = 1024 * 1024

/** Shows the last lines of the functions' log files, in the order of their times; then, followed, new ones. */
export const showLogs = async (
  { dataDir, name, lines, followedUntil }: LogQuery,
  out: Output,
): Promise<number> => {
  const folder = join(dataDir, 'logs')
  const names = (await readdir(folder).catch(() => [])).filter(file => file.endsWith('.log'))
  if (names.length === 0)
    throw new UserError(
      'cli.notFound',
      `There are no logs in ${folder}. MILLRACE_DATA_DIR names the data directory.`,
    )
  const wanted = names.filter(file => name === undefined || file.toLowerCase().includes(name.toLowerCase()))
  if (wanted.length === 0)
    throw new UserError(
      'cli.notFound',
      `No function is named like "${name}". There are: ${names.map(functionOf).join(', ')}.`,
    )

  const readers = wanted.map(file => createReader(join(folder, file), functionOf(file)))
  const read = async () => (await Promise.all(readers.map(reader => reader()))).flat().sort(byTime)
  for (const line of (await read()).slice(-lines)) out.line(...shownLine(line, out.isJson))
  while (followedUntil && !followedUntil.aborted) {
    for (const line of await read()) out.line(...shownLine(line, out.isJson))
    await sleep(LOOK_EVERY_MS, undefined, { signal: followedUntil }).catch(() => {})
  }
  return 0
}

const functionOf = (file: string): string => file.replace(/\.log$/, '')

/** Each call gives the whole lines since the one before; a file that was replaced is read from its start. */
const createReader = (path: string, name: string) => {
  let offset: number | undefined
  return async (): Promise<LogLine[]> => {
    const { size } = await stat(path).catch(() => ({ size: 0 }))
    offset ??= Math.max(0, size - READ_BYTES)
    if (size < offset) offset = 0
    if (size === offset) return []
    const file = await open(path)
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size - offset), 0, size - offset, offset)
      const text = buffer.toString('utf8', 0, bytesRead)
      const whole = text.slice(0, text.lastIndexOf('\n') + 1)
      offset += Buffer.byteLength(whole)
      return whole
        .split('\n')
        .filter(line => line.trim() !== '')
        .map(line => ({ function: name, text: line, record: parse(line) }))
    } finally {
      await file.close()
    }
  }
}

const logRecord = z.looseObject({
  level: z.string(),
  message: z.string(),
  timestamp: z.string(),
  error: z.looseObject({ message: z.string() }).optional().catch(undefined),
})

const parse = (line: string): z.infer<typeof logRecord> | undefined => {
  try {
    return logRecord.safeParse(JSON.parse(line)).data
  } catch {
    return undefined
  }
}

const byTime = (a: LogLine, b: LogLine): number =>
  (a.record?.timestamp ?? '').localeCompare(b.record?.timestamp ?? '')

/** Of every line: what all have in common says nothing. */
const USUAL =
  /^(level|message|timestamp|service|cold_start|function_(arn|memory_size|name|request_id)|sampling_rate|xray_trace_id|error)$/

const shownLine = (
  { function: name, text, record }: LogLine,
  isJson: boolean,
): Parameters<Output['line']> => {
  if (isJson) return [text]
  if (!record) return [printable(`${name}  ${text}`)]
  const facts = Object.entries(record)
    .filter(([key]) => !USUAL.test(key))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const message = [record.message, record.error?.message].filter(Boolean).join(': ')
  const style = styleOf({ ERROR: 'error', WARN: 'warn' }[record.level] ?? 'info')
  return [
    printable([record.timestamp.slice(11, 19), name, record.level, message, ...facts].join('  ')),
    style,
  ]
}
