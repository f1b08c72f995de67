import { type Decision, together } from '../../items/item-table.ts'
import { OVERTAKEN, untilWritten } from '../db/until-written.ts'
import { tableAlreadyExists, tableBusy, tableNotFound } from './table-errors.ts'
import type { TableHead } from './table-record.ts'
import type { TableStore } from './table-store.ts'

/**
 * Changes a table's display name: the table with it, and the write. An unchanged name writes nothing.
 *
 * Errors: 404 `storage.tables.notFound`, 400 `storage.buckets.tableAlreadyExists` when another table of the bucket has
 * that display name.
 */
export const renameTable = async (
  tableId: string,
  displayName: string,
  { tables, projectId }: { tables: TableStore; projectId: number },
): Promise<{ table: TableHead; decision: Decision }> => {
  const table = await tables.getHead(tableId)
  if (!table) throw tableNotFound(tableId, projectId)
  if (table.displayName === displayName) return { table, decision: [] }
  await refuseTakenName({ ...table, displayName }, tables)
  return { table: { ...table, displayName }, decision: await tables.renaming(table, displayName) }
}

/** The same at once. Resolves to the table. A load that runs meanwhile builds its change upon that. */
export const updateTable = (
  tableId: string,
  { displayName }: { displayName: string },
  services: { tables: TableStore; projectId: number },
  telling: (table: TableHead) => Decision = () => [],
): Promise<TableHead> =>
  untilWritten(
    () => tableBusy(tableId),
    async () => {
      const { table, decision } = await renameTable(tableId, displayName, services)
      const told = decision?.length === 0 ? [] : await together(decision, telling(table))
      return (await services.tables.decide(told)) ? table : OVERTAKEN
    },
  )

/** Error: 400 `storage.buckets.tableAlreadyExists` when another table of the bucket has that display name. */
export const refuseTakenName = async (
  { bucketId, name, displayName }: { bucketId: string; name: string; displayName: string },
  tables: Pick<TableStore, 'named'>,
): Promise<void> => {
  const named = await tables.named(bucketId, displayName)
  if (named !== undefined && named !== name) throw tableAlreadyExists(named, displayName)
}
