import { createReadStream } from 'node:fs'
import type { QueryPlan, TableQuery } from '../../lib/table-engine/queries/query-tables.ts'
import type { wholeFormats } from '../../lib/wire/query-body.ts'
import { listStored, type Receiver, storeBytes } from '../files/store-upload.ts'
import type { Services } from '../services.ts'

/** Writes all rows of a query to a file. A query that fails leaves none. */
export const wholeResult = async (
  query: TableQuery,
  format: (typeof wholeFormats)[number],
  request: Receiver,
  services: Services,
): Promise<QueryPlan & { file: { id: number } }> => {
  const engine = await services.tableEngine()
  const name = `query.${format}`
  let fileId = 0
  const { tables } = await engine.queryToFile({ ...query, format }, async path => {
    const stored = await storeBytes(createReadStream(path), name, services)
    fileId = (await listStored(stored, { name, tags: ['query'] }, request, services)).id
  })
  return { tables, file: { id: fileId } }
}
