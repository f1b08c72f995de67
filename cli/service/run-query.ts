import { createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { formatRecord } from '../../functions/lib/table-engine/csv/format-records.ts'
import { type QueryBody, queryBody, queryFileBody } from '../../functions/lib/wire/query-body.ts'
import { formatTable } from '../output/format-table.ts'
import type { Output } from '../output/output.ts'
import { printableTo } from '../output/printable.ts'
import type { Shell } from '../shell.ts'
import { connectStorage } from '../transfer/connect-storage.ts'
import { downloadToStream } from '../transfer/download-file.ts'
import { progressIn } from '../transfer/progress.ts'
import type { Api } from './api.ts'
import type { QueryFormat } from './query-formats.ts'

interface Query {
  sql: string
  format: QueryFormat
  /** Default: standard output. */
  outputPath: string | undefined
  /** Reads cells by what they look like. Default: as text. */
  detectsTypes: boolean
}

/** So many rows fit into a reply, if they are small, and a table shows no more; other formats hold all. */
const MAX_SHOWN_ROWS = 10_000

type Target = Pick<Query, 'outputPath'> & { shell: Shell }

/**
 * Has the service answer a query, and writes its rows. A result that outgrows a reply comes as a file of the service, which is
 * deleted when it is here.
 */
export const runQuery = async (
  { sql, format, outputPath, detectsTypes }: Query,
  { api, out, shell }: { api: Api; out: Output; shell: Shell },
): Promise<void> => {
  const asked = { sql, detectTypes: detectsTypes }
  const target = { outputPath, shell }
  const first =
    format === 'parquet'
      ? undefined
      : await api.send('POST', 'query', queryBody, { ...asked, limit: MAX_SHOWN_ROWS })
  if (first && format !== 'parquet' && (format === 'table' || !first.isTruncated)) {
    await writeTo(target, [formatters[format](first, target)])
    if (first.isTruncated) out.say(`The first ${first.rows.length} rows: --format csv prints all.`)
  } else
    await writeWhole(
      { ...asked, format: format === 'parquet' ? format : formatsOfFiles[format] },
      api,
      target,
    )
  if (outputPath !== undefined) out.say(`${outputPath} is written.`)
}

const formatsOfFiles = { csv: 'csv', json: 'jsonl', table: 'csv' } as const

const cellText = (cell: unknown): string =>
  cell === null ? '' : typeof cell === 'string' ? cell : JSON.stringify(cell)
const namesOf = ({ columns }: QueryBody) => columns.map(({ name }) => name)
const textsOf = ({ rows }: QueryBody) => rows.map(row => row.map(cellText))

const formatters = {
  csv: (result: QueryBody) => [namesOf(result), ...textsOf(result)].map(formatRecord).join(''),
  json: (result: QueryBody) =>
    `${JSON.stringify(
      result.rows.map(row => Object.fromEntries(namesOf(result).map((name, place) => [name, row[place]]))),
      null,
      2,
    )}\n`,
  table: (result: QueryBody, { outputPath, shell: { stdout } }: Target) => {
    const width = stdout.isTTY && outputPath === undefined ? stdout.columns : undefined
    return formatTable(namesOf(result), textsOf(result), { width })
  },
}

/** A file appears under its name when all of it is there. */
const writeTo = async (
  { outputPath, shell }: Target,
  content: Iterable<string> | AsyncIterable<string | Uint8Array>,
): Promise<void> => {
  if (outputPath === undefined) return pipeline(content, printableTo(shell.stdout), { end: false })
  await pipeline(content, createWriteStream(`${outputPath}.part`))
  await rename(`${outputPath}.part`, outputPath)
}

const writeWhole = async (
  asked: { sql: string; detectTypes: boolean; format: 'csv' | 'jsonl' | 'parquet' },
  api: Api,
  target: Target,
): Promise<void> => {
  const { file } = await api.send('POST', 'query', queryFileBody, asked)
  const connection = connectStorage(api.address)
  try {
    const content = new PassThrough()
    const written = writeTo(target, asked.format === 'jsonl' ? asList(content) : content)
    written.catch(error => content.destroy(error))
    await downloadToStream(content, { connection, fileId: file.id, startProgress: progressIn(target.shell) })
    content.end()
    await written
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
