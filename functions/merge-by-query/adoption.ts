import { NoSuchKey } from '@aws-sdk/client-s3'
import type { QueryCommit } from '../lib/distributed/commit-checks.ts'
import { cleanUpMerge, type MergeNotes, type StagedMerge } from '../lib/distributed/merge-notes.ts'
import { TransientError, UserError } from '../lib/errors/errors.ts'
import type { MetadataFile } from '../lib/iceberg/glue/glue-catalog.ts'
import { glueTableName, mergeTableName } from '../lib/iceberg/glue/glue-names.ts'
import { currentSchema } from '../lib/iceberg/metadata/parse-metadata.ts'
import type { LiveFile } from '../lib/iceberg/read/live-files.ts'
import { IcebergRefusal } from '../lib/iceberg/refusal.ts'
import { defaultBranchId } from '../lib/storage/db/branch-id.ts'
import { tableWarning } from '../lib/storage/events/table-warning.ts'
import type { TableRecord } from '../lib/storage/tables/table-record.ts'
import type { TableStore } from '../lib/storage/tables/table-store.ts'
import { type TableFile, withFiles } from '../lib/table-engine/files/snapshot.ts'
import type { MergeServices } from './services.ts'

/** What a query has committed, and what was decided when it was started. */
export interface Adoption {
  jobId: number
  queryId: string
  tableId: string
  branchId: number | undefined
  decided: MergeNotes
  /** Checks the commit. Resolves to its files; throws `IcebergRefusal`. */
  check: (commit: QueryCommit) => Promise<LiveFile[]>
}

interface Commit {
  committed: MetadataFile
  live: LiveFile[]
}

interface NewHead {
  /** Whether a head has the work of the job already. */
  isDone: (table: TableRecord) => boolean
  /** What changes in a head beside its metadata. */
  change: (table: TableRecord, files: TableFile[]) => Partial<TableRecord>
}

/** Makes a head of what the query committed, and removes the rest of the job. Throws the refusal. */
export const adoptInto = async (
  adoption: Adoption,
  services: MergeServices,
  { isDone, change }: NewHead,
): Promise<void> => {
  const tables = tablesOf(adoption, services)
  const table = await tableOf(adoption, services)
  if (isDone(table)) {
    // An earlier run may have died between the move of the head and that of Glue's pointer.
    await tables.followInCatalog(table)
    return cleanUpMerge(adoption.jobId, services)
  }
  const commit = await commitFor(table, adoption, services)
  const moved: TableRecord = {
    ...table,
    ...change(table, await filesOf(table, adoption, commit, services)),
    metadataKey: await services.tableContents.adopt(commit.committed, {
      baseKey: adoption.decided.baseKey,
      headKey: table.metadataKey,
    }),
    glueName: table.glueName ?? glueTableName(table),
  }
  await services.jobs.refuseCancelled(adoption.jobId)
  if (!(await tables.replace(moved))) {
    const winner = await findTable(adoption, services)
    if (!winner || !isDone(winner))
      throw new TransientError(
        'storage.tables.moved',
        `The table "${adoption.tableId}" was changed while the job ran.`,
      )
  }
  await cleanUpMerge(adoption.jobId, services)
}

/** The table that a query worked for. Throws the refusal when it is gone, or another one by now. */
const tableOf = async (adoption: Adoption, services: MergeServices): Promise<TableRecord> => {
  const table = await findTable(adoption, services)
  if (table?.internalId === adoption.decided.internalId) return table
  throw await refuse(adoption, 'the table was deleted', services)
}

/** What the query has committed, for a head that is as it was. Throws the refusal. */
const commitFor = async (
  table: TableRecord,
  adoption: Adoption,
  services: MergeServices,
): Promise<Commit> => {
  if (await isAsItWas(table, adoption.decided, services)) return commitOf(adoption, services)
  throw await refuse(adoption, 'the table was changed meanwhile', services)
}

/** What the query committed, once it is checked. Throws the error of the job when it is refused. */
export const commitOf = async (adoption: Adoption, services: MergeServices): Promise<Commit> => {
  const { jobId, decided } = adoption
  const found = await services.catalog.find(mergeTableName(jobId))
  if (!found) throw await refuse(adoption, 'its table in Glue is gone', services)
  return readCommit(adoption, { baseKey: decided.baseKey, location: found.metadataLocation }, services).catch(
    async error => {
      throw isDamage(error) ? await refuse(adoption, error.message, services) : error
    },
  )
}

/** The files of a commit as the engine has them: each with its deletes in one file of its own. */
const filesOf = (
  { internalId }: TableRecord,
  { jobId }: Adoption,
  { committed, live }: Commit,
  { tableContents, tableEngine }: MergeServices,
): Promise<TableFile[]> =>
  tableContents.takeOver(committed, live, async files =>
    (await tableEngine()).joinDeletes({ files, keyPrefix: `tables/${internalId}/${jobId}/` }),
  )

const readCommit = async (
  { queryId, check }: Adoption,
  { baseKey, location }: { baseKey: string; location: string },
  { tableContents, queries }: MergeServices,
): Promise<Commit> => {
  const { objects, metadataFile } = tableContents
  const base = await metadataFile(baseKey)
  if (!location.startsWith(`${base.metadata.location}/`))
    throw new IcebergRefusal(`The metadata file ${location} is not in the folder of the table.`)
  if ((await objects.sizeOf(location)) === undefined)
    throw new IcebergRefusal(`The metadata file ${location} is not there.`)
  const committed = await metadataFile(objects.keyOf(location))
  const { submitted, completed = submitted } = await queries.status(queryId)
  const updatedRows = await queries.updatedRows(queryId)
  const query = { submitted, completed, updatedRows }
  const { read, sizeOf } = objects
  return { committed, live: await check({ read, sizeOf, base, committed, query }) }
}

const refuse = async (
  { jobId, queryId, tableId, branchId }: Adoption,
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

type OfBranch = Pick<StagedMerge, 'branchId'>

/** The tables that the job of a load sees. */
const tablesOf = ({ branchId = defaultBranchId }: OfBranch, { inBranch }: MergeServices): TableStore =>
  inBranch(branchId).tables

/**
 * The head of the table of a load, when it is there and the branch's own: another branch's is never changed. The job made
 * it its own before, so one that is not was deleted.
 */
export const findTable = async (
  merge: Pick<StagedMerge, 'tableId'> & OfBranch,
  services: MergeServices,
): Promise<TableRecord | undefined> => {
  const table = await tablesOf(merge, services).get(merge.tableId)
  return table?.branchId === merge.branchId ? table : undefined
}

/** The table that a load creates, before it has rows. Its internal id is the job's, as of every table that a job creates. */
export const newTable = (
  { jobId, branchId, staged, lastLoad, loadedAt }: StagedMerge,
  names: NonNullable<StagedMerge['newTable']>,
): TableRecord => ({
  internalId: jobId,
  ...names,
  created: loadedAt,
  lastImportDate: null,
  lastChangeDate: loadedAt,
  lastLoad,
  snapshot: withFiles(staged, []),
  ...(branchId !== undefined && { branchId }),
  revision: 0,
})

interface RefusedCommit {
  jobId: number
  queryId: string
  tableId: string
  branchId: number | undefined
  why: string
  /** Where the commit lies, when that is known. */
  metadataLocation: string | undefined
}

/**
 * Leaves a commit where it lies, and removes the rest of its job. Resolves to the error of the job. The event comes first:
 * nobody else will know where the commit lies.
 */
const refuseCommit = async (
  { jobId, queryId, tableId, branchId = defaultBranchId, why, metadataLocation }: RefusedCommit,
  services: MergeServices,
): Promise<UserError> => {
  const { events, nextId, now } = services
  const reason = why.replace(/\.$/, '')
  const message = `What Athena's query ${queryId} committed is not part of the table ${tableId}: ${reason}. The table is as it was.`
  const params = { jobId, queryId, metadataLocation: metadataLocation ?? null }
  await events.create(nextId, id => ({
    id,
    ...tableWarning('storage.tableCommitRefused', { tableId, message, params, at: now() }),
    branchId,
  }))
  await cleanUpMerge(jobId, services)
  return new UserError('storage.tables.distributed.commitRefused', message, { params })
}
