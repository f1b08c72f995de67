import { UserError } from '../../lib/errors/errors.ts'
import { isAliased } from '../../lib/storage/tables/aliases/resolve-alias.ts'
import type { Services } from '../services.ts'
import { findTableToChange } from '../tables/find-table.ts'

/** The alias of a path, for a caller who is about to change it. Errors: 404 `storage.tables.notFound`, 400 `storage.tables.notAlias` for a table. */
export const findAlias = async (
  services: Pick<Services, 'tables' | 'projectId' | 'own'>,
  tableId: string,
) => {
  const table = await findTableToChange(services, tableId)
  if (!isAliased(table))
    throw new UserError('storage.tables.notAlias', `The table "${tableId}" is not an alias.`)
  return table
}
