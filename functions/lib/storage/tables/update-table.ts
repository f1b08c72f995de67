import { TransientError } from '../../errors/errors.ts'
import { tableAlreadyExists, tableNotFound } from './table-errors.ts'
import type { TableRecord } from './table-record.ts'
import type { TableStore } from './table-store.ts'

const MAX_ATTEMPTS = 5

/**
 * Changes the name of a table that people see; resolves to the table. The name it has is no change.
 *
 * Errors: 404 `storage.tables.notFound`, 400 `storage.buckets.tableAlreadyExists` when another table of the bucket shows
 * that name.
 */
export const updateTable = async (
  tableId: string,
  { displayName }: { displayName: string },
  { tables, projectId }: { tables: TableStore; projectId: number },
): Promise<TableRecord> => {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const table = await tables.get(tableId)
    if (!table) throw tableNotFound(tableId, projectId)
    if (table.displayName === displayName) return table
    const siblings = await tables.listInBucket(table.bucketId)
    if (siblings.some(other => other.name !== table.name && other.displayName === displayName))
      throw tableAlreadyExists(table.name, displayName)
    // A load that is under way moves the head on condition that it has not moved, and comes again when this was first.
    if (await tables.replace({ ...table, displayName })) return { ...table, displayName }
  }
  throw new TransientError(
    'storage.tables.busy',
    `The table "${tableId}" is being changed by another request.`,
  )
}
