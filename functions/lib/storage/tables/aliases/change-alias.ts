import { type Decision, together } from '#lib/items/item-table.ts'
import { OVERTAKEN, untilWritten } from '../../db/until-written.ts'
import { tableBusy, tableNotFound } from '../table-errors.ts'
import { type TableStore, tableIdOf } from '../table-store.ts'
import type { AliasRecord } from './alias-record.ts'

/**
 * Changes what an alias shows. `change` gets the alias as it is and may throw; the same alias back writes nothing. It is
 * called again when another request was faster.
 *
 * Errors: 404 `storage.tables.notFound`, 503 `storage.tables.busy`.
 */
export const changeAlias = (
  alias: AliasRecord,
  change: (current: AliasRecord) => Promise<AliasRecord>,
  {
    tables,
    projectId,
    telling,
  }: { tables: TableStore; projectId: number; telling: (changed: AliasRecord) => Decision },
): Promise<void> => {
  const tableId = tableIdOf(alias)
  return untilWritten(
    () => tableBusy(tableId),
    async () => {
      const current = await tables.getAlias(tableId)
      if (current?.internalId !== alias.internalId) throw tableNotFound(tableId, projectId)
      const changed = await change(current)
      if (changed === current) return
      const told = await together(tables.replacingAlias(changed), telling(changed))
      return (await tables.decide(told)) ? undefined : OVERTAKEN
    },
  )
}
