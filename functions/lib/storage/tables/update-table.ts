import { OVERTAKEN, untilWritten } from '../db/until-written.ts'
import { tableAlreadyExists, tableBusy, tableNotFound } from './table-errors.ts'
import type { TableHead } from './table-record.ts'
import type { TableStore } from './table-store.ts'

/**
 * Changes a table's display name. An unchanged name writes nothing. Resolves to the table.
 *
 * Errors: 404 `storage.tables.notFound`, 400 `storage.buckets.tableAlreadyExists` when another table of the bucket has
 * that display name.
 */
export const updateTable = (
  tableId: string,
  { displayName }: { displayName: string },
  { tables, projectId }: { tables: TableStore; projectId: number },
): Promise<TableHead> => {
  return untilWritten(
    () => tableBusy(tableId),
    async () => {
      const table = await tables.getHead(tableId)
      if (!table) throw tableNotFound(tableId, projectId)
      if (table.displayName === displayName) return table
      await refuseTakenName({ ...table, displayName }, tables)
      // A load that runs now will find the head changed and try again.
      return (await tables.rename(table, displayName)) ? { ...table, displayName } : OVERTAKEN
    },
  )
}

/** Error: 400 `storage.buckets.tableAlreadyExists` when another table of the bucket has that display name. */
export const refuseTakenName = async (
  { bucketId, name, displayName }: { bucketId: string; name: string; displayName: string },
  tables: Pick<TableStore, 'called'>,
): Promise<void> => {
  const called = await tables.called(bucketId, displayName)
  const taken = called.find(other => other.name !== name && other.displayName === displayName)
  if (taken) throw tableAlreadyExists(taken.name, displayName)
}
