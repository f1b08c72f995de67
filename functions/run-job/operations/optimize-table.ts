import { TransientError } from '../../lib/errors/errors.ts'
import type { InputOf } from '../../lib/storage/jobs/job-record.ts'
import { tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import type { RunJobServices } from '../services.ts'

/**
 * Gives a table of version 0.1 its Iceberg metadata; its files stay where they are. For other tables nothing is left to
 * do. A repeated run finds the metadata.
 */
export const optimizeTable = async (
  { tableId }: InputOf<'tableOptimize'>,
  { tables, projectId }: RunJobServices,
): Promise<{ message: string; isMigrated: boolean }> => {
  const table = await tables.get(tableId)
  if (!table) throw tableNotFound(tableId, projectId)
  if (table.metadataKey !== undefined)
    return {
      message: 'Each load joins small files of the table, so nothing was left to do.',
      isMigrated: false,
    }
  if (await tables.replace(table))
    return {
      message: 'The table is an Iceberg table now. Its files stayed where they are.',
      isMigrated: true,
    }
  throw new TransientError('storage.tables.moved', `The table "${tableId}" was changed while the job ran.`)
}
