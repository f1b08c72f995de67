import { UserError } from '../../lib/errors/errors.ts'
import { together } from '../../lib/items/item-table.ts'
import { ofBranch } from '../../lib/storage/db/branch-id.ts'
import { branchOf, type InputOf, type ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { type SnapshotRecord, snapshotNotFound } from '../../lib/storage/snapshots/snapshot-store.ts'
import { refuseReferencedKey } from '../../lib/storage/tables/aliases/alias-rules.ts'
import { refuseSwap } from '../../lib/storage/tables/drop-table.ts'
import { withDates } from '../../lib/storage/tables/row-selection.ts'
import { refuseKey } from '../../lib/storage/tables/table-columns.ts'
import { declaredOf } from '../../lib/storage/tables/table-definition.ts'
import { tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import { type TableRecord, timeAfter } from '../../lib/storage/tables/table-record.ts'
import { type StoredTable, tableIdOf } from '../../lib/storage/tables/table-store.ts'
import { renameTable } from '../../lib/storage/tables/update-table.ts'
import type { Snapshot } from '../../lib/table-engine/files/snapshot.ts'
import type { RunJobServices } from '../job/services.ts'
import { type Outcome, replaceHead, requireTable, tableResults } from './outcome.ts'

interface Change {
  table: TableRecord
  /** The job's results. */
  results?: Record<string, unknown> | null
}

/** Changes a table by a new head. Resolves to the changed table and the outcome of the job. */
export const changeTable = async (
  tableId: string,
  services: RunJobServices,
  change: (table: TableRecord) => Promise<Change>,
  changes: { isRenamed?: boolean; forgotten?: Date | undefined } = {},
): Promise<Outcome & { table: TableRecord }> => {
  const table = await requireTable(tableId, services)
  const { table: changed, results = null } = await change(table)
  const moved: TableRecord = {
    ...changed,
    ...(changed.definition && { definition: declaredOf(changed.definition, changed.snapshot) }),
    lastChangeDate: timeAfter(services.now(), table).toISOString(),
  }
  return { table: moved, results, decide: replaceHead(moved, services, { ...changes, before: table }) }
}

export const addPrimaryKey = (
  _job: ProcessingJob,
  { tableId, columns }: InputOf<'tablePrimaryKeyAdd'>,
  services: RunJobServices,
) =>
  changeTable(tableId, services, async table => {
    refuseKey(table, columns)
    const engine = await services.tableEngine()
    if (await engine.hasDuplicates(table.snapshot, columns))
      throw new UserError(
        'storage.tables.primaryKeyDuplicateValues',
        `The table has rows with the same values in the columns ${columns.join(', ')}: they cannot be its primary key.`,
      )
    return { table: { ...table, snapshot: { ...table.snapshot, primaryKey: columns } } }
  })

/** A table without a key stays unchanged. */
export const deletePrimaryKey = (
  _job: ProcessingJob,
  { tableId }: InputOf<'tablePrimaryKeyDelete'>,
  services: RunJobServices,
) =>
  changeTable(tableId, services, async table => {
    await refuseReferencedKey(table, services.aliases)
    return { table: { ...table, snapshot: { ...table.snapshot, primaryKey: [] } } }
  })

export const updateTable = async (
  job: ProcessingJob,
  { tableId, displayName }: InputOf<'tableUpdate'>,
  services: RunJobServices,
): Promise<Outcome> => {
  const { table } = await renameTable(tableId, displayName, services)
  return {
    results: await tableResults(job, table, services),
    decide: async () => (await renameTable(tableId, displayName, services)).decision,
  }
}

/** One that erases lets the earlier states of the table go, too. */
export const deleteRows = (
  job: ProcessingJob,
  { tableId, conditions, erase = false }: InputOf<'tableRowsDelete'>,
  services: RunJobServices,
): Promise<Outcome> => {
  const deleted = async (table: TableRecord): Promise<Change> => {
    const engine = await services.tableEngine()
    const { snapshot, bytesRead } = await engine.deleteRows({
      ...withDates(conditions),
      snapshot: table.snapshot,
      keyPrefix: `tables/${table.internalId}/${job.id}/`,
      erases: erase,
    })
    services.log.info('Rows deleted', { jobId: job.id, tableId, bytesRead })
    return {
      table: { ...table, snapshot },
      results: { deletedRows: table.snapshot.rowsCount - snapshot.rowsCount },
    }
  }
  return changeTable(tableId, services, deleted, { ...(erase && { forgotten: services.now() }) })
}

/** Replaces the branch's table by the default branch's as it is now. No rows are copied: files never change. */
export const pullTable = async (
  job: ProcessingJob,
  { tableId }: InputOf<'tablePull'>,
  services: RunJobServices,
): Promise<Outcome> => {
  const { own, tables, projectId } = services
  if (!(await own.pull(tableId))) throw tableNotFound(tableId, projectId)
  const table = await tables.getHead(tableId)
  return { results: table ? await tableResults(job, table, services) : null }
}

/** Keeps the current table with its metadata. No rows are copied: the files of a table never change. */
export const snapshotTable = async (
  job: ProcessingJob,
  { tableId, description }: InputOf<'tableSnapshotCreate'>,
  services: RunJobServices,
): Promise<Outcome> => {
  const table = await requireTable(tableId, services)
  const { name, displayName, created, lastImportDate, lastChangeDate, definition, metadataKey } = table
  const { metadata, nextId, snapshots } = services
  const id = nextId()
  const record: SnapshotRecord = {
    id,
    createdTime: job.startTime,
    description,
    creatorToken: job.creatorToken,
    ...ofBranch(branchOf(job)),
    table: {
      id: tableIdOf(table),
      name,
      displayName,
      created,
      lastImportDate,
      lastChangeDate,
      ...(definition && { definition }),
    },
    snapshot: { ...table.snapshot, files: [] },
    metadataKey,
  }
  // Before the snapshot is there, so that whoever sees it sees its metadata.
  await metadata.copy(metadataSubject.table(table), metadataSubject.snapshot({ id }), nextId)
  return { results: { id }, decide: async () => snapshots.inserting(record) }
}

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

/**
 * Two tables exchange rows, columns, types, keys and history. Names, aliases, metadata and the dates of loads stay where they are. The job has
 * its place in the queues of both and holds both leases; both heads move with its end.
 */
export const swapTables = async (
  job: ProcessingJob,
  { tableId, targetTableId }: InputOf<'tableSwap'>,
  services: RunJobServices,
): Promise<Outcome> => {
  const [first, second] = await Promise.all([tableId, targetTableId].map(id => ownTable(id, services)))
  if (!first || !second) throw new Error('Each of them is there, or its error thrown')
  await refuseSwap(first, second, services.aliases)
  const lastChangeDate = timeAfter(services.now(), first, second).toISOString()
  const swapped = [
    replaceHead(withContent(first, second, lastChangeDate), services, { before: first }),
    replaceHead(withContent(second, first, lastChangeDate), services, { before: second }),
  ]
  return {
    results: await tableResults(job, withContent(first, second, lastChangeDate), services),
    decide: isAgain => together(...swapped.map(decide => decide(isAgain))),
  }
}

const ownTable = async (tableId: string, services: RunJobServices): Promise<StoredTable> => {
  await services.own.table(tableId)
  return requireTable(tableId, services)
}

const withContent = (
  { definition: _, ...table }: StoredTable,
  { snapshot, metadataKey, definition }: StoredTable,
  lastChangeDate: string,
): StoredTable => ({ ...table, snapshot, metadataKey, ...(definition && { definition }), lastChangeDate })
