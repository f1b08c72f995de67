import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { loadIntoTable } from '../../functions/lib/storage-client/load-into-table.ts'
import { type QueryBody, queryBody, queryFileBody } from '../../functions/lib/wire/query-body.ts'
import { isTableIdForLoad } from '../../functions/lib/wire/storage-ids.ts'
import { followJob } from '../connect/follow-job.ts'
import type { ServiceCall } from '../connect/service-command.ts'
import { formatTable } from '../shell/format-table.ts'
import { printableTo } from '../shell/printable.ts'
import { progressIn } from '../shell/progress.ts'
import type { Shell } from '../shell/shell.ts'
import { connectStorage } from '../transfer/connect-storage.ts'
import { downloadToPath } from '../transfer/download-file.ts'
import { sayEnd } from './do-job.ts'
import { lookAtJob } from './jobs.ts'
import { formatOfName, type QueryFormat } from './query-formats.ts'

interface Query {
  sql: string
  /** Reads cells by what they look like. Otherwise: as text. */
  detectTypes: boolean
}

interface Target {
  format: QueryFormat
  /** Default: standard output. */
  outputPath: string | undefined
}

type QueryCall = Pick<ServiceCall, 'api' | 'out' | 'shell'>

/** A terminal shows no more rows than these; files and other formats hold all. */
const MAX_TABLE_ROWS = 10_000

/**
 * Has the service answer a query, and writes its rows. A whole result is a file of the service, which is deleted when it is here.
 */
export const runQuery = async (
  query: Query,
  { format, outputPath }: Target,
  { api, out, shell }: QueryCall,
): Promise<void> => {
  const say = () => outputPath !== undefined && out.say(`${outputPath} is written, as ${format}.`)
  if (format === 'table') {
    const result = await api.send('POST', 'query', queryBody, { ...query, limit: MAX_TABLE_ROWS })
    const width = shell.stdout.isTTY && outputPath === undefined ? shell.stdout.columns : undefined
    await write([tableOf(result, width)], outputPath, shell)
    say()
    for (const warning of result.warnings) out.say(warning)
    if (result.isTruncated) out.say(`The first ${result.rows.length} rows: --format csv prints all.`)
  } else {
    const content = wholeResult(query, format === 'json' ? 'jsonl' : format, { api, out, shell })
    await write(format === 'json' ? asList(content) : content, outputPath, shell)
    say()
  }
}

/** Keeps the result as a table, with the rights of the token. The file between is deleted when the load has ended. */
export const saveQuery = async (query: Query, tableId: string, call: QueryCall): Promise<number> => {
  const { api, out, shell } = call
  // A wrong name is said before the query runs.
  if (!isTableIdForLoad(tableId)) throw new UserError('cli.usage', 'Name the table like out.c-main.by-city.')
  const { file, warnings } = await api.send('POST', 'query', queryFileBody, { ...query, format: 'parquet' })
  for (const warning of warnings) out.say(warning)
  const { storage, close } = connectStorage(api.address)
  try {
    const load = { tableId, dataFileId: file.id, incremental: false, primaryKey: [] }
    const options = { idempotencyKey: crypto.randomUUID(), hasIfExists: true }
    const { job } = await loadIntoTable(storage, load, options)
    const started = await lookAtJob(api)(job.id)
    return sayEnd(await followJob(started, lookAtJob(api), { what: `Job ${job.id}`, shell }), call)
  } finally {
    close()
    await api.delete(`files/${file.id}`)
  }
}

/**
 * The content of the file with the whole result. Whoever reads standard output may stop in the middle, which ends this
 * process: the service's file is deleted before.
 */
async function* wholeResult(
  query: Query,
  format: QueryFormat,
  { api, out, shell }: QueryCall,
): AsyncGenerator<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-query-'))
  try {
    const path = join(folder, 'result')
    const { file, warnings } = await api.send('POST', 'query', queryFileBody, { ...query, format })
    for (const warning of warnings) out.say(warning)
    const connection = connectStorage(api.address)
    try {
      await downloadToPath(path, query.sql, { connection, fileId: file.id, startProgress: progressIn(shell) })
    } finally {
      connection.close()
      await connection.storage.deleteFile(file.id)
    }
    yield* createReadStream(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const tableOf = ({ columns, rows }: QueryBody, width: number | undefined): string => {
  const text = (cell: unknown) =>
    cell === null ? '' : typeof cell === 'string' ? cell : JSON.stringify(cell)
  return formatTable(
    columns.map(({ name }) => name),
    rows.map(row => row.map(text)),
    { width },
  )
}

const write = (
  content: Iterable<string> | AsyncIterable<string | Uint8Array>,
  outputPath: string | undefined,
  { stdout }: Shell,
) => {
  if (outputPath === undefined) return pipeline(content, printableTo(stdout), { end: false })
  const file = createWriteStream(outputPath)
  return formatOfName(outputPath).gzip ? pipeline(content, createGzip(), file) : pipeline(content, file)
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
