import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type QueryBody, queryBody, queryFileBody } from '../../functions/lib/wire/query-body.ts'
import type { Api } from '../connect/api.ts'
import { formatTable } from '../shell/format-table.ts'
import type { Output } from '../shell/output.ts'
import { printableTo } from '../shell/printable.ts'
import { progressIn } from '../shell/progress.ts'
import type { Shell } from '../shell/shell.ts'
import { connectStorage } from '../transfer/connect-storage.ts'
import { downloadToPath } from '../transfer/download-file.ts'
import { formatOfName, type QueryFormat } from './query-formats.ts'

interface Query {
  sql: string
  format: QueryFormat
  /** Default: standard output. */
  outputPath: string | undefined
  /** Reads cells by what they look like. Default: as text. */
  detectsTypes: boolean
}

/** A terminal shows no more rows than these; files and other formats hold all. */
const MAX_TABLE_ROWS = 10_000

interface Asked {
  sql: string
  detectTypes: boolean
  format: 'csv' | 'jsonl' | 'parquet'
}

type Target = Pick<Query, 'outputPath'> & { shell: Shell }

/**
 * Has the service answer a query, and writes its rows. A whole result is a file of the service, which is deleted when it is here.
 */
export const runQuery = async (
  { sql, format, outputPath, detectsTypes }: Query,
  { api, out, shell }: { api: Api; out: Output; shell: Shell },
): Promise<void> => {
  const asked = { sql, detectTypes: detectsTypes }
  if (format === 'table') {
    const result = await api.send('POST', 'query', queryBody, { ...asked, limit: MAX_TABLE_ROWS })
    await write({ outputPath, shell }, [tableOf(result, { outputPath, shell })])
    if (outputPath !== undefined) out.say(`${outputPath} is written, as ${format}.`)
    if (result.isTruncated) out.say(`The first ${result.rows.length} rows: --format csv prints all.`)
  } else {
    const whole = { ...asked, format: format === 'json' ? ('jsonl' as const) : format }
    const content = wholeResult(whole, { api, shell })
    await write({ outputPath, shell }, format === 'json' ? asList(content) : content)
    if (outputPath !== undefined) out.say(`${outputPath} is written, as ${format}.`)
  }
}

/** The content of the file with the whole result, which is gone afterwards. */
async function* wholeResult(asked: Asked, call: { api: Api; shell: Shell }): AsyncGenerator<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-query-'))
  try {
    const path = join(folder, 'result')
    await fetchResult(asked, path, call)
    yield* createReadStream(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const tableOf = ({ columns, rows }: QueryBody, { outputPath, shell: { stdout } }: Target): string => {
  const width = stdout.isTTY && outputPath === undefined ? stdout.columns : undefined
  const names = columns.map(({ name }) => name)
  const text = (cell: unknown) =>
    cell === null ? '' : typeof cell === 'string' ? cell : JSON.stringify(cell)
  return formatTable(
    names,
    rows.map(row => row.map(text)),
    { width },
  )
}

const write = (
  { outputPath, shell }: Target,
  content: Iterable<string> | AsyncIterable<string | Uint8Array>,
) =>
  outputPath === undefined
    ? pipeline(content, printableTo(shell.stdout), { end: false })
    : formatOfName(outputPath).gzip
      ? pipeline(content, createGzip(), createWriteStream(outputPath))
      : pipeline(content, createWriteStream(outputPath))

/** Whoever reads standard output may stop in the middle, which ends this process: the file is deleted before. */
const fetchResult = async (
  asked: Asked,
  path: string,
  { api, shell }: { api: Api; shell: Shell },
): Promise<void> => {
  const { file } = await api.send('POST', 'query', queryFileBody, asked)
  const connection = connectStorage(api.address)
  try {
    await downloadToPath(path, asked.sql, { connection, fileId: file.id, startProgress: progressIn(shell) })
  } finally {
    connection.close()
    await connection.storage.deleteFile(file.id)
  }
}

/** JSON lines as one list. */
async function* asList(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let between = '[\n'
  for await (const chunk of chunks) {
    const text = between + decoder.decode(chunk, { stream: true })
    between = text.endsWith('\n') ? ',\n' : ''
    yield (between === '' ? text : text.slice(0, -1)).replaceAll('}\n{', '},\n{')
  }
  yield between === '[\n' ? '[]\n' : '\n]\n'
}
