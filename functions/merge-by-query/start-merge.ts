import {
  cleanUpMerge,
  type MergeNotes,
  type StagedMerge,
  stagingFolder,
} from '../lib/distributed/merge-notes.ts'
import { columnsWithGaps, mergeStatement, stagedColumn } from '../lib/distributed/statements.ts'
import { UserError } from '../lib/errors/errors.ts'
import { mergeTableName, refuseSharedNames, stagingTableName } from '../lib/iceberg/glue/glue-names.ts'
import type { NestedField } from '../lib/iceberg/metadata/types.ts'
import type { TableRecord } from '../lib/storage/tables/table-record.ts'
import { type TableField, TIMESTAMP_ID, withFiles } from '../lib/table-engine/files/snapshot.ts'
import { LOAD_ORDER } from '../lib/table-engine/load-order.ts'
import { findTable, newTable } from './adoption.ts'
import type { MergeServices } from './services.ts'
import { type StartedQuery, startAside } from './start-aside.ts'

/**
 * Starts the query that merges the staged rows of a job. A repeated start finds the query.
 *
 * The query works on a table of its own in Glue, `merge_<job>`, that begins where the head is: so nobody sees what it
 * commits before it is checked, and nobody else commits there. The table gets the columns of the load first, and loses
 * its rows when the load is a full one; that commit becomes visible only with the query's. For a load that creates its
 * table it begins without rows.
 *
 * Errors: 400 `storage.tables.distributed.columnNames`, `.tooManyColumns`; `storage.tables.notFound`.
 */
export const startMerge = async (
  jobId: number,
  services: MergeServices,
): Promise<StartedQuery | { status: 'done' }> => {
  const { notes } = services
  const merge = await notes.readStaged(jobId)
  if (!merge) throw new Error(`The job ${jobId} has staged nothing`)
  const table = await findTable(merge, services)
  // Of a load that creates its table: the job finds the table, which it has made itself, or reports that the name is taken.
  if (table && (merge.newTable || table.lastLoad.jobId === jobId)) return { status: 'done' }
  const target = table ?? (merge.newTable && newTable(merge, merge.newTable))
  if (!target) {
    await cleanUpMerge(jobId, services)
    throw new UserError(
      'storage.tables.notFound',
      `The table "${merge.tableId}" was deleted during its load.`,
    )
  }
  return startAside(
    jobId,
    (await notes.readNotes(jobId)) ?? (await decide(merge, target, services)),
    services,
  )
}

/** What later runs of the step must find again, whatever happens to the table meanwhile. */
const decide = async (
  { jobId, tableId, incremental, staged, loadedAt }: StagedMerge,
  table: TableRecord,
  { tableContents, catalog, notes }: MergeServices,
): Promise<MergeNotes> => {
  refuseSharedNames(tableId, staged.fields)
  const { fields, lastFieldId } = staged
  const before = withFiles(
    { ...table.snapshot, fields, lastFieldId },
    incremental ? table.snapshot.files : [],
  )
  const statement = mergeStatement({
    target: { database: catalog.database, name: mergeTableName(jobId) },
    staging: { database: catalog.database, name: stagingTableName(jobId) },
    fields,
    primaryKey: table.snapshot.primaryKey,
    gaps: columnsWithGaps(fields, before.files),
    loadedAt: new Date(loadedAt),
  })
  const decided: MergeNotes = {
    internalId: table.internalId,
    ...(table.metadataKey !== undefined && { headKey: table.metadataKey }),
    baseKey: await tableContents.save({ ...table, snapshot: before }),
    stagingKey: await tableContents.stage(stagingFolder(jobId), {
      fields: stagedSchema(fields),
      files: staged.files,
      timeMs: Date.parse(loadedAt),
    }),
    statement,
  }
  return notes.decide(jobId, decided)
}

/** The columns of a staging table: those of the load under short names, and the order of the rows. */
const stagedSchema = (fields: readonly TableField[]): NestedField[] => [
  ...fields.map(field => ({ id: field.id, name: stagedColumn(field), required: false, type: field.type })),
  { id: TIMESTAMP_ID, name: '_timestamp', required: false, type: 'timestamptz' },
  ...LOAD_ORDER.map(column => ({ ...column, required: true })),
]
