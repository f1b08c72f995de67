import { NoSuchKey } from '@aws-sdk/client-s3'
import { cleanUpMerge } from '../lib/distributed/clean-up-merge.ts'
import type { MetadataFile } from '../lib/distributed/glue-catalog.ts'
import { glueTableName, mergeTableName } from '../lib/distributed/glue-names.ts'
import type { MergeNotes, StagedMerge } from '../lib/distributed/merge-notes.ts'
import { TransientError } from '../lib/errors/errors.ts'
import { currentSchema } from '../lib/iceberg/metadata/parse-metadata.ts'
import type { LiveFile } from '../lib/iceberg/read/live-files.ts'
import { IcebergRefusal } from '../lib/iceberg/refusal.ts'
import type { TableRecord } from '../lib/storage/tables/table-record.ts'
import { withFiles } from '../lib/table-engine/snapshot.ts'
import { findTable, tablesOf } from './merge-target.ts'
import { readCommit } from './read-commit.ts'
import { refuseCommit } from './refuse-commit.ts'
import type { MergeServices } from './services.ts'

interface MergeStep {
  jobId: number
  queryId: string
}

/**
 * Makes what the query committed the table's content: checks it, joins deletes that are spread over files, and moves the
 * head on condition that it has not moved. A repeated step finds the load in the head.
 *
 * A table that the load creates is made by the job itself, from the commit that this step has noted as checked.
 *
 * Error: 400 `storage.tables.distributed.commitRefused`, with an event that says where the commit lies. The old head stays.
 */
export const adoptMerge = async (step: MergeStep, services: MergeServices): Promise<{ status: 'done' }> => {
  const { jobId } = step
  const { notes } = services
  const merge = await notes.readStaged(jobId)
  const decided = await notes.readNotes(jobId)
  // Only a merge that has ended has no notes: the job's next run finds what became of it.
  if (!merge || !decided) return { status: 'done' }
  const adoption: Adoption = { ...step, merge, decided }
  if (merge.newTable) await noteAdopted(adoption, services)
  else await adoptIntoTable(adoption, services)
  return { status: 'done' }
}

interface Adoption extends MergeStep {
  merge: StagedMerge
  decided: MergeNotes
}

/** The objects stay until the job has made its table of them, or has ended without. */
const noteAdopted = async (adoption: Adoption, services: MergeServices): Promise<void> => {
  const { tableContents, notes } = services
  if (await notes.readAdopted(adoption.jobId)) return
  const { committed } = await commitOf(adoption, services)
  const metadataKey = tableContents.objects.keyOf(committed.location)
  await notes.writeAdopted(adoption.jobId, { metadataKey })
}

const adoptIntoTable = async (adoption: Adoption, services: MergeServices): Promise<void> => {
  const { jobId, merge, decided } = adoption
  const table = await findTable(merge, services)
  if (table?.internalId !== decided.internalId)
    throw await refuse(adoption, 'the table was deleted', services)
  if (table.lastLoad.jobId !== jobId) await moveHead(adoption, table, services)
  // An earlier run may have died between the move of the head and that of Glue's pointer.
  else await tablesOf(merge, services).followInCatalog(table)
  await cleanUpMerge(jobId, services)
}

const moveHead = async (adoption: Adoption, table: TableRecord, services: MergeServices): Promise<void> => {
  const { jobId, merge, decided } = adoption
  const { tableContents, tableEngine, now } = services
  const { tableId, staged, lastLoad } = merge
  if (!(await isAsItWas(table, decided, services)))
    throw await refuse(adoption, 'the table was changed meanwhile', services)
  const { committed, live } = await commitOf(adoption, services)
  const keyPrefix = `tables/${table.internalId}/${jobId}/`
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
  if (await tablesOf(merge, services).replace(moved)) return
  const winner = await findTable(merge, services)
  if (winner?.lastLoad.jobId === jobId) return
  throw new TransientError('storage.tables.moved', `The table "${tableId}" was changed while the job ran.`)
}

/** What the query committed, once it is checked. Throws the error of the job when it is refused. */
const commitOf = async (
  adoption: Adoption,
  services: MergeServices,
): Promise<{ committed: MetadataFile; live: LiveFile[] }> => {
  const { jobId, queryId, merge, decided } = adoption
  const found = await services.catalog.find(mergeTableName(jobId))
  if (!found) throw await refuse(adoption, 'its table in Glue is gone', services)
  const request = {
    queryId,
    baseKey: decided.baseKey,
    location: found.metadataLocation,
    loadedAt: new Date(merge.loadedAt),
  }
  return readCommit(request, services).catch(async error => {
    throw isDamage(error) ? await refuse(adoption, error.message, services) : error
  })
}

const refuse = async (
  { jobId, queryId, merge: { tableId, branchId } }: Adoption,
  why: string,
  services: MergeServices,
): Promise<Error> => {
  const found = await services.catalog.find(mergeTableName(jobId))
  const metadataLocation = found?.metadataLocation
  return refuseCommit({ jobId, queryId, tableId, branchId, why, metadataLocation }, services)
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
