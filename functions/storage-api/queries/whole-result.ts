import { createReadStream } from 'node:fs'
import type { Json } from '@duckdb/node-api'
import { formatRecord } from '../../lib/table-engine/csv/format-records.ts'
import type { StreamedRows } from '../../lib/table-engine/duckdb-session.ts'
import type { TableQuery } from '../../lib/table-engine/queries/query-tables.ts'
import type { TableEngine } from '../../lib/table-engine/table-engine.ts'
import type { wholeFormats } from '../../lib/wire/query-body.ts'

interface WholeResult {
  format: (typeof wholeFormats)[number]
  /** Until the first rows: what comes after them waits for its reader. */
  seconds: number
  /** When the last byte is sent, or nobody reads any more. */
  end: () => Promise<void>
}

/**
 * A reply with all rows of a query, sent while they are made. It begins when there are rows to send, so that a query that cannot be run is an
 * error of the request. Whoever goes away ends the query; when it fails in the middle, the connection breaks.
 */
export const wholeResult = async (
  engine: TableEngine,
  query: Omit<TableQuery, 'signal'>,
  { format, seconds, end }: WholeResult,
): Promise<Response> => {
  const gone = new AbortController()
  const tooLate = setTimeout(() => gone.abort(), seconds * 1000)
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  writer.closed.catch(() => gone.abort())
  const begun = Promise.withResolvers<void>()
  const send = async (chunk: Uint8Array): Promise<void> => {
    clearTimeout(tooLate)
    begun.resolve()
    await writer.ready
    await writer.write(chunk)
  }
  const asked = { ...query, signal: gone.signal }
  const done = (
    format === 'parquet'
      ? engine.queryToParquet(asked, path => sendFile(path, send))
      : engine.query(asked, result => (format === 'csv' ? sendCsv : sendLines)(result, send))
  )
    .then(() => writer.close())
    .catch(async error => {
      begun.reject(error)
      await writer.abort(error).catch(() => undefined)
    })
    .finally(async () => {
      clearTimeout(tooLate)
      await end()
    })
  await Promise.race([begun.promise, done])
  return new Response(readable, { headers: { 'content-type': MEDIA_TYPES[format] } })
}

const MEDIA_TYPES = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
} as const

type Send = (chunk: Uint8Array) => Promise<void>

const sendCsv = async ({ columns, rows }: StreamedRows, send: Send): Promise<void> => {
  await send(Buffer.from(formatRecord(columns.map(({ name }) => name))))
  for await (const some of rows)
    await send(Buffer.from(some.map(row => formatRecord(row.map(cellText))).join('')))
}

const sendLines = async ({ columns, rows }: StreamedRows, send: Send): Promise<void> => {
  const line = (row: Json[]) =>
    `${JSON.stringify(Object.fromEntries(columns.map(({ name }, place) => [name, row[place]])))}\n`
  for await (const some of rows) await send(Buffer.from(some.map(line).join('')))
}

const sendFile = async (path: string, send: Send): Promise<void> => {
  for await (const chunk of createReadStream(path)) await send(chunk)
}

const cellText = (cell: Json): string =>
  cell === null ? '' : typeof cell === 'string' ? cell : JSON.stringify(cell)
