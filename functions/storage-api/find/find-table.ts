import { UserError } from '../../lib/errors/errors.ts'
import { type BucketRecord, requireBucket } from '../../lib/storage/buckets/bucket-store.ts'
import { isAliased, type ReadableTable } from '../../lib/storage/tables/aliases/resolve-alias.ts'
import { aliasHoldsNoRows, tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { bucketOfTable } from '../../lib/storage/tokens/rights.ts'
import { requireTable } from '../http/rights.ts'
import type { Caller, Services } from '../services/services.ts'

/** As `findBucket`, for a caller who is about to change the bucket's metadata: it becomes the branch's own. */
export const findBucketToChange = async (services: Services, bucketId: string): Promise<BucketRecord> => {
  await services.own.bucket(bucketId)
  return findBucket(services, bucketId)
}

/** The bucket of a path, or 404 `storage.buckets.notFound`. */
export const findBucket = (services: Services, bucketId: string): Promise<BucketRecord> =>
  requireBucket(bucketId, services)

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
  refuseAlias(table)
  return table
}

/** Error: 400 `storage.tables.aliasImportNotAllowed`. */
export const refuseAlias = ({ alias }: TableHead): void => {
  if (alias) throw aliasHoldsNoRows(alias.record)
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

/**
 * The alias of a path, for a caller who is about to change what it shows, which needs the right on its source that creating it needs.
 * Errors: 404 `storage.tables.notFound`, 400 `storage.tables.notAlias` for a table, 403 `accessDenied`.
 */
export const findAlias = async (
  services: Services,
  { caller, params: { tableId } }: { caller: Caller; params: { tableId: string } },
) => {
  const table = await findTableToChange(services, tableId)
  if (!isAliased(table))
    throw new UserError('storage.tables.notAlias', `The table "${tableId}" is not an alias.`)
  requireSource(caller, table)
  return table
}

/** Throws 403 `accessDenied` unless the caller may read what an alias is made of. A table has its rows itself. */
export const requireSource = (caller: Caller, { alias }: Pick<TableHead, 'alias'>): void => {
  if (alias) requireTable(caller, alias.record.sourceTableId, 'read')
}
