import { UserError } from '../../lib/errors/errors.ts'
import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { snapshotNotFound } from '../../lib/storage/snapshots/snapshot-store.ts'
import type { TableRecord } from '../../lib/storage/tables/table-record.ts'
import type { Snapshot } from '../../lib/table-engine/files/snapshot.ts'
import type { RunJobServices } from '../job/services.ts'
import { changeTable } from './change-table.ts'

/** Gives a table the rows of a snapshot that was kept of it. None are copied: the files of a table never change. */
export const restoreTable = (
  _job: ProcessingJob,
  { tableId, snapshotId }: InputOf<'tableRestore'>,
  services: RunJobServices,
) =>
  changeTable(tableId, services, async table => {
    const kept = await services.snapshots.get(snapshotId)
    if (!kept) throw snapshotNotFound(snapshotId)
    const { rowsCount, dataSizeBytes } = kept.snapshot
    const isOfTable = kept.table.id === tableId && kept.table.created === table.created
    if (!isOfTable || shapeOf(kept.snapshot) !== shapeOf(table.snapshot))
      throw otherShape(tableId, snapshotId)
    const { joinedFrom: _, ...snapshot } = table.snapshot
    const files = await services.tables.filesOf(kept.metadataKey)
    const restored: TableRecord = { ...table, snapshot: { ...snapshot, rowsCount, dataSizeBytes, files } }
    return { table: restored, results: { restoredRows: rowsCount, replacedRows: table.snapshot.rowsCount } }
  })

/** What rows of then must share with the table of now. The order of columns is none of it. */
const shapeOf = ({ fields, primaryKey }: Snapshot): string =>
  JSON.stringify([fields.toSorted((a, b) => a.id - b.id), primaryKey])

const otherShape = (tableId: string, snapshotId: number): UserError =>
  new UserError(
    'storage.snapshots.otherShape',
    `The snapshot ${snapshotId} has other columns, types or another primary key than the table "${tableId}" has now, or is of another table. Make a new table of it.`,
  )
