import type { TableLoad } from '../../lib/storage/tables/table-record.ts'
import { columnNames, type Snapshot } from '../../lib/table-engine/files/snapshot.ts'

/** The load of a table that is a copy. It shares the files of the other table: they never change, so each can change on its own. */
export const copyLoad = (jobId: number, snapshot: Snapshot, warnings: string[] = []): TableLoad => ({
  jobId,
  importedColumns: columnNames(snapshot),
  importedRowsCount: snapshot.rowsCount,
  warnings,
  inBytes: 0,
  isCompressed: false,
  durationSeconds: 0,
})
