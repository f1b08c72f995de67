import { TransientError } from '#lib/errors/errors.ts'
import { tableNotFound } from '../table-errors.ts'
import { type TableStore, tableIdOf } from '../table-store.ts'
import type { AliasRecord } from './alias-record.ts'

const MAX_ATTEMPTS = 5

/**
 * Changes what an alias shows. `change` gets the alias as it is and may throw; the same alias back writes nothing. It is
 * called again when another request was faster. Resolves to false when nothing was written.
 *
 * Errors: 404 `storage.tables.notFound`, 503 `storage.tables.busy`.
 */
export const changeAlias = async (
  alias: AliasRecord,
  change: (current: AliasRecord) => Promise<AliasRecord>,
  { tables, projectId }: { tables: TableStore; projectId: number },
): Promise<boolean> => {
  const tableId = tableIdOf(alias)
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const current = await tables.getAlias(tableId)
    if (current?.internalId !== alias.internalId) throw tableNotFound(tableId, projectId)
    const changed = await change(current)
    if (changed === current) return false
    if (await tables.replaceAlias(changed)) return true
  }
  throw new TransientError(
    'storage.tables.busy',
    `The table "${tableId}" is being changed by another request.`,
  )
}
