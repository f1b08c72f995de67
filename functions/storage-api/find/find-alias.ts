import { UserError } from '../../lib/errors/errors.ts'
import { isAliased } from '../../lib/storage/tables/aliases/resolve-alias.ts'
import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { requireTable } from '../http/rights.ts'
import type { Caller, Services } from '../services/services.ts'
import { findTableToChange } from './find-table.ts'

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
