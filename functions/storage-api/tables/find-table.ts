import { tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import type { TableRecord } from '../../lib/storage/tables/table-record.ts'
import type { Services } from '../services.ts'

/** The table of a path, or 404 `storage.tables.notFound`. */
export const findTable = async (
  { tables, projectId }: Pick<Services, 'tables' | 'projectId'>,
  tableId: string,
): Promise<TableRecord> => {
  const table = await tables.get(tableId)
  if (!table) throw tableNotFound(tableId, projectId)
  return table
}
