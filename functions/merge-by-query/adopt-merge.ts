import { NoSuchKey } from '@aws-sdk/client-s3'
import { checkCommit } from '../lib/distributed/check-commit.ts'
import type { MetadataFile } from '../lib/distributed/glue-catalog.ts'
import { glueTableName, mergeTableName } from '../lib/distributed/glue-names.ts'
import type { MergeNotes, StagedMerge } from '../lib/distributed/merge-notes.ts'
import { TransientError, UserError } from '../lib/errors/errors.ts'
import { currentSchema } from '../lib/iceberg/metadata/parse-metadata.ts'
import type { LiveFile } from '../lib/iceberg/read/live-files.ts'
import { IcebergRefusal } from '../lib/iceberg/refusal.ts'
import { defaultBranchId } from '../lib/storage/branches/branch-store.ts'
import { tableWarning } from '../lib/storage/events/table-warning.ts'
import type { TableRecord } from '../lib/storage/tables/table-record.ts'
import { withFiles } from '../lib/table-engine/snapshot.ts'
import { cleanUp } from './clean-up.ts'
import type { MergeServices } from './services.ts'

interface MergeStep {
  jobId: number
  queryId: string
}

/**
 * Makes what the query committed the table's content: checks it, joins deletes that are spread over files, and moves the
 * head on condition that it has not moved. A repeated step finds the load in the head.
 *
 * Error: 400 `storage.tables.distributed.commitRefused`, with an event that says where the commit lies. The old head stays.
 */
export const adoptMerge = async (step: MergeStep, services: MergeServices): Promise<{ status: 'done' }> => {
  const { jobId } = step
  const { tables, notes } = services
  const merge = await notes.readStaged(jobId)
  const decided = await notes.readNotes(jobId)
  // Only a merge that has ended has no notes: the job's next run finds what became of it.
  if (!merge || !decided) return { status: 'done' }
  const table = await tables.get(merge.tableId)
  if (table?.internalId !== decided.internalId)
    throw await refused(step, merge.tableId, 'the table was deleted', undefined, services)
  if (table.lastLoad.jobId !== jobId) await adopt(step, { merge, decided, table }, services)
  // An earlier run may have died between the move of the head and that of Glue's pointer.
  else await tables.followInCatalog(table)
  await cleanUp(jobId, services)
  return { status: 'done' }
}

interface Merging {
  merge: StagedMerge
  decided: MergeNotes
  table: TableRecord
}

const adopt = async (step: MergeStep, merging: Merging, services: MergeServices): Promise<void> => {
  const { merge, decided, table } = merging
  const { tables, tableContents, catalog, tableEngine, now } = services
  const { tableId, staged, lastLoad } = merge
  const found = await catalog.find(mergeTableName(step.jobId))
  if (!found) throw await refused(step, tableId, 'its table in Glue is gone', undefined, services)
  const refuse = (why: string) => refused(step, tableId, why, found.metadataLocation, services)
  if (!(await isAsItWas(table, decided, services))) throw await refuse('the table was changed meanwhile')

  const { committed, live } = await readCommit(step, merging, found.metadataLocation, services).catch(
    async error => {
      throw isDamage(error) ? await refuse(error.message) : error
    },
  )
  const keyPrefix = `tables/${table.internalId}/${step.jobId}/`
  const files = await tableContents.takeOver(committed, live, async shared =>
    (await tableEngine()).joinDeletes({ files: shared, keyPrefix }),
  )
  const at = now().toISOString()
  const moved: TableRecord = {
    ...table,
    snapshot: withFiles({ ...table.snapshot, fields: staged.fields, lastFieldId: staged.lastFieldId }, files),
    metadataKey: tableContents.objects.keyOf(committed.location),
    glueName: table.glueName ?? glueTableName(table),
    lastLoad,
    lastImportDate: at,
    lastChangeDate: at,
  }
  if (await tables.replace(moved)) return
  const winner = await tables.get(tableId)
  if (winner?.lastLoad.jobId === step.jobId) return
  throw new TransientError('storage.tables.moved', `The table "${tableId}" was changed while the job ran.`)
}

/** What the commit itself says or lacks, a manifest for example. */
const isDamage = (error: unknown): error is Error =>
  error instanceof IcebergRefusal || error instanceof NoSuchKey

/** Only other names or an expiry may have changed the head since the query was prepared: not its rows or columns. */
const isAsItWas = async (
  { metadataKey }: TableRecord,
  { headKey }: MergeNotes,
  { tableContents }: MergeServices,
): Promise<boolean> => {
  if (metadataKey === headKey) return true
  if (metadataKey === undefined || headKey === undefined) return false
  const [now, then] = await Promise.all([metadataKey, headKey].map(tableContents.metadataFile))
  return (
    now?.metadata['current-snapshot-id'] === then?.metadata['current-snapshot-id'] &&
    now !== undefined &&
    then !== undefined &&
    JSON.stringify(currentSchema(now.metadata)) === JSON.stringify(currentSchema(then.metadata))
  )
}

/** Throws `IcebergRefusal` for a commit that is not what was asked for, or not whole. */
const readCommit = async (
  { queryId }: MergeStep,
  { merge, decided }: Merging,
  location: string,
  { tableContents, queries }: MergeServices,
): Promise<{ committed: MetadataFile; live: LiveFile[] }> => {
  const { objects, metadataFile } = tableContents
  const base = await metadataFile(decided.baseKey)
  if (!location.startsWith(`${base.metadata.location}/`))
    throw new IcebergRefusal(`The metadata file ${location} is not in the folder of the table.`)
  const committedKey = objects.keyOf(location)
  if ((await objects.sizeOf(location)) === undefined)
    throw new IcebergRefusal(`The metadata file ${location} is not there.`)
  const committed = await metadataFile(committedKey)
  const { submitted, completed } = await queries.status(queryId)
  const live = await checkCommit({
    read: objects.read,
    sizeOf: objects.sizeOf,
    base,
    committed,
    query: {
      submitted,
      completed: completed ?? submitted,
      updatedRows: await queries.updatedRows(queryId),
    },
    loadedAt: new Date(merge.loadedAt),
  })
  return { committed, live }
}

/** The event comes first: nobody else will know where the commit lies. */
const refused = async (
  { jobId, queryId }: MergeStep,
  tableId: string,
  why: string,
  metadataLocation: string | undefined,
  services: MergeServices,
): Promise<UserError> => {
  const { events, nextId, now } = services
  const reason = why.replace(/\.$/, '')
  const message = `What Athena's query ${queryId} committed is not part of the table ${tableId}: ${reason}. The table is as it was.`
  const params = { jobId, queryId, metadataLocation: metadataLocation ?? null }
  await events.create(nextId, id => ({
    id,
    ...tableWarning('storage.tableCommitRefused', { tableId, message, params, at: now() }),
    branchId: defaultBranchId,
  }))
  await cleanUp(jobId, services)
  return new UserError('storage.tables.distributed.commitRefused', message, { params })
}
