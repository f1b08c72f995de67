import { checkCommit } from '../lib/distributed/check-commit.ts'
import { checkPacked } from '../lib/distributed/check-packed.ts'
import {
  cleanUpMerge,
  type MergeNotes,
  type PackedTable,
  type StagedMerge,
  stagingFolder,
} from '../lib/distributed/merge-notes.ts'
import {
  columnsWithGaps,
  mergeStatement,
  optimizeStatement,
  stagedColumn,
} from '../lib/distributed/statements.ts'
import { UserError } from '../lib/errors/errors.ts'
import { mergeTableName, refuseSharedNames, stagingTableName } from '../lib/iceberg/glue/glue-names.ts'
import { isAboutRights, MissingGrant } from '../lib/iceberg/glue/missing-grant.ts'
import type { NestedField } from '../lib/iceberg/metadata/types.ts'
import type { TableRecord } from '../lib/storage/tables/table-record.ts'
import { type TableField, TIMESTAMP_ID, withFiles } from '../lib/table-engine/files/snapshot.ts'
import { LOAD_ORDER } from '../lib/table-engine/load-order.ts'
import { type Adoption, adoptInto, commitOf, findTable, newTable } from './adoption.ts'
import type { MergeByQueryEvent } from './event.ts'
import type { MergeServices } from './services.ts'
import { type StartedQuery, startAside } from './start-aside.ts'

/**
 * One step of a query by Athena, which merges the rows of a load or packs the files of a table: the job has noted which.
 * Each step may be repeated at any time. `done`: the job's next run finds its work done.
 */
export const mergeByQuery = async (event: MergeByQueryEvent, services: MergeServices) => {
  const packed = await services.notes.readPacked(event.jobId)
  switch (event.step) {
    case 'start':
      return packed ? startPacking(packed, services) : startMerge(event.jobId, services)
    case 'check':
      return checkQuery({ ...event, packed }, services)
    case 'adopt':
      return packed ? adoptPacking(packed, event, services) : adoptMerge(event, services)
  }
}

/**
 * Makes the packed files those of the table, when they hold the same rows. Its dates stay: nothing in it has changed. A
 * repeated step finds the job in the head.
 *
 * Error: 400 `storage.tables.distributed.commitRefused`, with an event that says where the commit lies. The old head stays.
 */
const adoptPacking = async (
  { jobId, tableId, branchId, files: packedFiles, bytes: packedBytes }: PackedTable,
  { queryId }: { queryId: string },
  services: MergeServices,
): Promise<{ status: 'done' }> => {
  const decided = await services.notes.readNotes(jobId)
  if (!decided) return { status: 'done' }
  await adoptInto({ jobId, queryId, tableId, branchId, decided, check: checkPacked }, services, {
    isDone: table => table.lastJob?.id === jobId,
    change: ({ snapshot }, files) => {
      const message = `Athena packed ${packedFiles} files of the table. It has ${files.length} files now.`
      const results = { message, packedFiles, packedBytes, filesCount: files.length }
      return { snapshot: withFiles(snapshot, files), lastJob: { id: jobId, results } }
    },
  })
  return { status: 'done' }
}

/**
 * Starts the query that packs the files of a table, aside like a merge (see `startMerge`). A repeated start finds the query.
 *
 * Errors: 400 `storage.tables.distributed.columnNames`; `storage.tables.notFound`.
 */
const startPacking = async (
  packed: PackedTable,
  services: MergeServices,
): Promise<StartedQuery | { status: 'done' }> => {
  const { catalog, notes } = services
  const { jobId, tableId } = packed
  const table = await findTable(packed, services)
  if (table?.lastJob?.id === jobId) return { status: 'done' }
  if (!table?.metadataKey) {
    await cleanUpMerge(jobId, services)
    throw new UserError('storage.tables.notFound', `The table "${tableId}" was deleted before it was packed.`)
  }
  refuseSharedNames(tableId, table.snapshot.fields)
  const target = { database: catalog.database, name: mergeTableName(jobId) }
  const decided =
    (await notes.readNotes(jobId)) ??
    (await notes.decide(jobId, {
      internalId: table.internalId,
      headKey: table.metadataKey,
      baseKey: table.metadataKey,
      statement: optimizeStatement(target),
    }))
  return startAside(jobId, decided, services)
}

const LONGEST_WAIT_SECONDS = 60
/** A query that has run for ten times as long is asked for after one second more. */
const PATIENCE = 10

type QueryState = { queryId: string } & ({ status: 'running'; waitSeconds: number } | { status: 'succeeded' })

/**
 * Asks once for the state of a query. Error: 400 `storage.tables.distributed.queryFailed`, or `MissingGrant` when it failed
 * for the rights of the stack; what it leaves behind then goes with the sweep, since cleaning up needs rights too.
 */
const checkQuery = async (
  { jobId, queryId, packed }: { jobId: number; queryId: string; packed: PackedTable | undefined },
  services: MergeServices,
): Promise<QueryState> => {
  const { queries, queryTimeoutSeconds, measure, now } = services
  const { state, reason, submitted, scannedBytes } = await queries.status(queryId)
  const ageSeconds = (now().getTime() - submitted.getTime()) / 1000
  if (state !== 'running') measure({ QueryBytes: scannedBytes, QuerySeconds: ageSeconds })
  if (state === 'succeeded') return { status: 'succeeded', queryId }
  if (state === 'running' && ageSeconds <= queryTimeoutSeconds) {
    const waitSeconds = Math.min(LONGEST_WAIT_SECONDS, Math.max(1, Math.ceil(ageSeconds / PATIENCE)))
    return { status: 'running', waitSeconds, queryId }
  }
  if (state === 'failed' && isAboutRights(reason)) throw new MissingGrant(reason)
  // What it commits now is in a table that nobody reads.
  if (state === 'running') await queries.stop(queryId)
  await cleanUpMerge(jobId, services)
  const what =
    state === 'running'
      ? `did not end within ${queryTimeoutSeconds} seconds and was stopped`
      : `failed: ${reason}`
  throw new UserError(
    'storage.tables.distributed.queryFailed',
    packed
      ? `Athena's query ${queryId} that packs the files of the table "${packed.tableId}" ${what}. The table is as it was. ` +
          'Allow queries more (docs/limits.md), or leave the table as it is.'
      : `The load is too large for one function, and Athena's query ${queryId} for it ${what}. The table is as it was. ` +
          'Load a smaller file, or allow queries more (docs/limits.md).',
  )
}

/**
 * Makes what the query committed the table's content: checks it, joins deletes that are spread over files, and moves the
 * head on condition that it has not moved. A repeated step finds the load in the head.
 *
 * A table that the load creates is made by the job itself, from the commit that this step has noted as checked.
 *
 * Error: 400 `storage.tables.distributed.commitRefused`, with an event that says where the commit lies. The old head stays.
 */
const adoptMerge = async (
  { jobId, queryId }: { jobId: number; queryId: string },
  services: MergeServices,
): Promise<{ status: 'done' }> => {
  const { notes, now } = services
  const merge = await notes.readStaged(jobId)
  const decided = await notes.readNotes(jobId)
  // Only a merge that has ended has no notes: the job's next run finds what became of it.
  if (!merge || !decided) return { status: 'done' }
  const { tableId, branchId, lastLoad, staged } = merge
  const loadedAt = new Date(merge.loadedAt)
  const check: Adoption['check'] = commit => checkCommit({ ...commit, loadedAt })
  const adoption = { jobId, queryId, tableId, branchId, decided, check }
  if (merge.newTable) await noteAdopted(adoption, services)
  else
    await adoptInto(adoption, services, {
      isDone: table => table.lastLoad.jobId === jobId,
      change: ({ snapshot }, files) => {
        const { fields, lastFieldId } = staged
        const at = now().toISOString()
        return {
          snapshot: withFiles({ ...snapshot, fields, lastFieldId }, files),
          lastLoad,
          lastImportDate: at,
          lastChangeDate: at,
        }
      },
    })
  return { status: 'done' }
}

/** The objects stay until the job has made its table of them, or has ended without. */
const noteAdopted = async (adoption: Adoption, services: MergeServices): Promise<void> => {
  const { tableContents, notes } = services
  if (await notes.readAdopted(adoption.jobId)) return
  const { committed } = await commitOf(adoption, services)
  const metadataKey = tableContents.objects.keyOf(committed.location)
  await notes.writeAdopted(adoption.jobId, { metadataKey })
}

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
const startMerge = async (
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
