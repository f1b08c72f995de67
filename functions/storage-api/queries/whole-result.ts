import { createReadStream } from 'node:fs'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Json } from '@duckdb/node-api'
import { formatRecord } from '../../lib/table-engine/csv/format-records.ts'
import type { StreamedRows } from '../../lib/table-engine/duckdb-session.ts'
import type { QueryPlan, TableQuery } from '../../lib/table-engine/queries/query-tables.ts'
import type { wholeFormats } from '../../lib/wire/query-body.ts'
import { listStored, type Receiver, storeBytes } from '../files/store-upload.ts'
import type { Services } from '../services.ts'

/** Writes all rows of a query to a file, while they are made. A query that fails leaves none. */
export const wholeResult = async (
  query: TableQuery,
  format: (typeof wholeFormats)[number],
  request: Receiver,
  services: Services,
): Promise<QueryPlan & { file: { id: number } }> => {
  const engine = await services.tableEngine()
  const name = `query.${format}`
  const body = new PassThrough()
  const [plan, stored] = await Promise.all([
    (format === 'parquet'
      ? engine.queryToParquet(query, path => pipeline(createReadStream(path), body))
      : engine.query(query, result => pipeline((format === 'csv' ? csvOf : linesOf)(result), body))
    ).catch(error => {
      body.destroy(error)
      throw error
    }),
    storeBytes(body, name, services),
  ])
  const file = await listStored(stored, { name, tags: ['query'] }, request, services)
  return { tables: plan.tables, file: { id: file.id } }
}

async function* csvOf({ columns, rows }: StreamedRows): AsyncGenerator<Buffer> {
  yield Buffer.from(formatRecord(columns.map(({ name }) => name)))
  for await (const some of rows) yield Buffer.from(some.map(row => formatRecord(row.map(cellText))).join(''))
}

async function* linesOf({ columns, rows }: StreamedRows): AsyncGenerator<Buffer> {
  const line = (row: Json[]) =>
    `${JSON.stringify(Object.fromEntries(columns.map(({ name }, place) => [name, row[place]])))}\n`
  for await (const some of rows) yield Buffer.from(some.map(line).join(''))
}

const cellText = (cell: Json): string =>
  cell === null ? '' : typeof cell === 'string' ? cell : JSON.stringify(cell)
