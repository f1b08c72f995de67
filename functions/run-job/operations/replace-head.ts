import type { Decision } from '../../lib/items/item-table.ts'
import { tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import type { TableRecord } from '../../lib/storage/tables/table-record.ts'
import { type StoredTable, tableIdOf } from '../../lib/storage/tables/table-store.ts'
import type { RunJobServices } from '../job/services.ts'

/**
 * The head of a changed table, for the transaction that ends its job. Nobody else changes what the table holds meanwhile. Its name may
 * change, and its old snapshots may go: then the same change is built upon that.
 *
 * Error: 404 `storage.tables.notFound` when the table was deleted meanwhile. If it exists again, it is a new table, for which this is not meant.
 */
export const replaceHead =
  (
    table: TableRecord,
    { tables, projectId }: Pick<RunJobServices, 'tables' | 'projectId'>,
    changes: { isRenamed?: boolean; forgotten?: Date | undefined; before: StoredTable },
  ) =>
  async (isAgain: boolean): Promise<Decision> =>
    isAgain
      ? tables.replacing(await onCurrent(table, { tables, projectId }, changes), {
          forgotten: changes.forgotten,
        })
      : tables.replacing(table, changes)

const onCurrent = async (
  table: TableRecord,
  { tables, projectId }: Pick<RunJobServices, 'tables' | 'projectId'>,
  { isRenamed = false }: { isRenamed?: boolean },
): Promise<TableRecord> => {
  const tableId = tableIdOf(table)
  const head = await tables.getHead(tableId)
  if (!head || head.alias || head.internalId !== table.internalId) throw tableNotFound(tableId, projectId)
  const { revision, metadataKey, displayName } = head
  return {
    ...table,
    revision,
    ...(metadataKey !== undefined && { metadataKey }),
    ...(!isRenamed && { displayName }),
  }
}
