import pMap from 'p-map'
import { UserError } from '../../lib/errors/errors.ts'
import { type BucketRecord, isBeingDeleted } from '../../lib/storage/buckets/bucket-store.ts'
import { ofBranch } from '../../lib/storage/db/branch-id.ts'
import { branchOf, isFinal, type JobRecord, type ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import type { TableDefinition } from '../../lib/storage/tables/table-definition.ts'
import { tableAlreadyExists } from '../../lib/storage/tables/table-errors.ts'
import type { TableHead, TableLoad, TableRecord } from '../../lib/storage/tables/table-record.ts'
import { tableResource } from '../../lib/storage/tables/table-resource.ts'
import { refuseTakenName } from '../../lib/storage/tables/update-table.ts'
import type { Snapshot } from '../../lib/table-engine/files/snapshot.ts'
import type { RunJobServices } from '../job/services.ts'
import { jobFailure, tellJobEnd } from '../job/tell-job-end.ts'

/** What a table that is created is called. */
interface NewTable {
  bucketId: string
  name: string
  displayName: string
}

/** The initial content of a new table. */
export interface FirstContent {
  snapshot: Snapshot
  load: TableLoad
  definition?: TableDefinition | undefined
  /** Nothing was loaded: the table shows no import. */
  isEmpty?: boolean
}

/**
 * Creates a table with its first snapshot in one write, so that a failed create leaves no table. Resolves to the table,
 * to the table as the job shows it, and to the jobs that were to create it too and are refused.
 *
 * The table's internal id is the job's id, so that every run of the job creates the same table.
 */
export const insertTable = async (
  job: ProcessingJob,
  newTable: NewTable,
  services: RunJobServices,
  makeContent: () => Promise<FirstContent>,
): Promise<{ table: TableHead; resource: Record<string, unknown>; alsoEnded: number[] }> => {
  const { tables } = services
  const { bucketId, name, displayName } = newTable
  await requireBucket(bucketId, services)
  const existing = await tables.getHead(`${bucketId}.${name}`)
  if (existing && existing.internalId !== job.id) throw tableAlreadyExists(name, displayName)
  if (!existing) await refuseTakenName(newTable, tables)
  const table = existing ?? (await insert(job, newTable, services, await makeContent()))

  // Check the bucket again after creating the table: a delete of the bucket may have missed the table.
  const bucket = await requireBucket(bucketId, services).catch(async error => {
    if (error instanceof UserError) await tables.delete(table)
    throw error
  })
  const alsoEnded = await refuseQueuedCreations(job, newTable, services)
  const totals = await services.totals.of(bucket.id)
  const resource = tableResource(table, bucket, totals, { ...services, baseUrl: job.baseUrl })
  return { table, resource, alsoEnded }
}

/** Files that landed together may all be about to create the table. Those right behind this job can only fail, now that it is there. */
const refuseQueuedCreations = async (
  job: ProcessingJob,
  { name, displayName }: NewTable,
  services: RunJobServices,
): Promise<number[]> => {
  const { queue, jobs, now } = services
  if (job.queueTableId === null) return []
  const behind = await jobs.getMany(await queue.behind(job.queueTableId, job.id, REFUSED_AT_ONCE))
  const open = behind.filter(other => !isFinal(other))
  const end = open.findIndex(({ input }) => !CREATIONS.has(input.operationName))
  const refuse = async (other: JobRecord): Promise<number> => {
    const failed = await jobs.failAlong(other, now(), jobFailure(tableAlreadyExists(name, displayName)))
    if (isFinal(failed)) await tellJobEnd(failed, services)
    return other.id
  }
  return pMap(open.slice(0, end === -1 ? undefined : end), refuse, { concurrency: 8 })
}

const CREATIONS: ReadonlySet<string> = new Set(['tableCreate', 'tableDefinitionCreate'])
const REFUSED_AT_ONCE = 500

const insert = async (
  job: ProcessingJob,
  { bucketId, name, displayName }: NewTable,
  { tables, now }: RunJobServices,
  { snapshot, load, definition, isEmpty = false }: FirstContent,
): Promise<TableHead> => {
  const at = now().toISOString()
  const table: TableRecord = {
    internalId: job.id,
    bucketId,
    name,
    ...ofBranch(branchOf(job)),
    displayName,
    created: at,
    lastImportDate: isEmpty ? null : at,
    lastChangeDate: at,
    lastLoad: load,
    ...(definition && { definition }),
    snapshot,
    revision: 1,
  }
  if (await tables.insert(table)) return table
  const winner = await tables.getHead(`${bucketId}.${name}`)
  if (winner?.internalId !== job.id) throw tableAlreadyExists(name, displayName)
  return winner
}

const requireBucket = async (
  bucketId: string,
  { buckets, projectId, now }: RunJobServices,
): Promise<BucketRecord> => {
  const bucket = await buckets.get(bucketId)
  if (!bucket || isBeingDeleted(bucket, now()))
    throw new UserError(
      'storage.buckets.notFound',
      `The bucket "${bucketId}" was not found in the project "${projectId}"`,
    )
  return bucket
}
