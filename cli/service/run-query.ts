import { createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { failure } from '../../functions/lib/storage-client/request.ts'
import { queryBody, type wholeFormats } from '../../functions/lib/wire/query-body.ts'
import { formatTable } from '../output/format-table.ts'
import type { Output } from '../output/output.ts'
import { printableTo } from '../output/printable.ts'
import type { Shell } from '../shell.ts'
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

/** A terminal shows no more rows than these; files and other formats hold all. */
const MAX_TABLE_ROWS = 10_000

/** Has the service answer a query, and writes the rows while they come. */
export const runQuery = async (
  { sql, format, outputPath, detectsTypes }: Query,
  { api, out, shell: { stdout } }: { api: Api; out: Output; shell: Shell },
): Promise<void> => {
  const asked = { sql, detectTypes: detectsTypes }
  const partPath = `${outputPath}.part`
  const target = () => (outputPath === undefined ? printableTo(stdout) : createWriteStream(partPath))
  if (format === 'table') {
    const shown = await api.send('POST', 'query', queryBody, { ...asked, limit: MAX_TABLE_ROWS })
    const width = stdout.isTTY && outputPath === undefined ? stdout.columns : undefined
    const names = shown.columns.map(({ name }) => name)
    const table = formatTable(
      names,
      shown.rows.map(row => row.map(cellText)),
      { width },
    )
    await pipeline([table], target(), { end: outputPath !== undefined })
    if (shown.isTruncated) out.say(`The first ${shown.rows.length} rows: --format csv prints all.`)
  } else {
    const rows = await openResult(api, { ...asked, format: format === 'json' ? 'jsonl' : format })
    await pipeline(rows, format === 'json' ? asArray : passOn, target(), { end: outputPath !== undefined })
  }
  if (outputPath === undefined) return
  await rename(partPath, outputPath)
  out.say(`${outputPath} is written.`)
}

const cellText = (cell: unknown): string =>
  cell === null ? '' : typeof cell === 'string' ? cell : JSON.stringify(cell)

/** The whole result, as it is made. */
const openResult = async (
  { address: { url, token } }: Api,
  asked: { sql: string; detectTypes: boolean; format: (typeof wholeFormats)[number] },
): Promise<Readable> => {
  const reply = await fetch(`${url.replace(/\/+$/, '')}/v2/storage/query`, {
    method: 'POST',
    redirect: 'error',
    headers: { 'X-StorageApi-Token': token, 'Content-Type': 'application/json' },
    body: JSON.stringify(asked),
  })
  if (!reply.ok || !reply.body)
    throw failure(
      { status: reply.status, headers: Object.fromEntries(reply.headers), text: await reply.text() },
      { method: 'POST', path: 'query' },
    )
  return Readable.fromWeb(reply.body)
}

async function* passOn(chunks: AsyncIterable<Uint8Array>) {
  yield* chunks
}

/** JSON lines as one list. */
async function* asArray(chunks: AsyncIterable<Uint8Array>) {
  const decoder = new TextDecoder()
  let between = '[\n'
  for await (const chunk of chunks) {
    const text = between + decoder.decode(chunk, { stream: true })
    between = text.endsWith('\n') ? ',\n' : ''
    yield (between === '' ? text : text.slice(0, -1)).replaceAll('}\n{', '},\n{')
  }
  yield between === '[\n' ? '[]\n' : '\n]\n'
}
