import type { ReadableTable } from '../../lib/storage/tables/aliases/resolve-alias.ts'
import { aliasHoldsNoRows, tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { bucketOfTable } from '../../lib/storage/tokens/rights.ts'
import type { Services } from '../services/services.ts'
import { findBucket } from './find-bucket.ts'

/** The head of the table of a path, without its files, or 404 `storage.tables.notFound`. */
export const findTable = async ({ tables, projectId }: Services, tableId: string): Promise<TableHead> => {
  const table = await tables.getHead(tableId)
  if (!table) throw tableNotFound(tableId, projectId)
  return table
}

/** As `findTable`. A bucket that is not there is said first, by 404 `storage.buckets.notFound`. */
export const findTableInBucket = async (services: Services, tableId: string): Promise<TableHead> => {
  const table = await services.tables.getHead(tableId)
  if (!table) await findBucket(services, bucketOfTable(tableId))
  return table ?? findTable(services, tableId)
}

/**
 * The same for a table that is to be changed. Throws 400 `storage.tables.aliasImportNotAllowed` for an alias, which has
 * no rows of its own.
 */
export const findOwnTable = async (services: Services, tableId: string): Promise<TableHead> => {
  const table = await findTable(services, tableId)
  if (table.alias) throw aliasHoldsNoRows(table.alias.record)
  return table
}

/** As `findTable`, for a caller who is about to change the table or its metadata: it becomes the branch's own. */
export const findTableToChange = async (services: Services, tableId: string): Promise<TableHead> => {
  await services.own.table(tableId)
  return findTable(services, tableId)
}

/** The table of a path with its files, or 404 `storage.tables.notFound`. */
export const findTableWithFiles = async (
  { tables, projectId }: Services,
  tableId: string,
): Promise<ReadableTable> => {
  const table = await tables.getReadable(tableId)
  if (!table) throw tableNotFound(tableId, projectId)
  return table
}
