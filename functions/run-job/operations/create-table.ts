import { UserError } from '../../lib/errors.ts'
import { tableResource } from '../../lib/storage-resources/table-resource.ts'
import { type BucketRecord, isBeingDeleted } from '../../lib/storage-store/bucket-store.ts'
import type { InputOf, ProcessingJob } from '../../lib/storage-store/job-record.ts'
import { tableAlreadyExists } from '../../lib/storage-store/table-already-exists.ts'
import type { TableRecord } from '../../lib/storage-store/table-store.ts'
import type { RunJobServices } from '../run-job.ts'
import { loadMetrics } from './import-outcome.ts'
import { loadFile } from './load-file.ts'
import type { Outcome } from './run-operation.ts'

/**
 * Creates a table with its first snapshot, in one write: a create that fails leaves no table.
 *
 * The table's internal id is the job's id, so that every run of the job makes the same table.
 */
export const createTable = async (
  job: ProcessingJob,
  input: InputOf<'tableCreate'>,
  services: RunJobServices,
): Promise<Outcome> => {
  const { tables } = services
  await requireBucket(input.bucketId, services)
  const existing = await tables.get(`${input.bucketId}.${input.name}`)
  if (existing && existing.internalId !== job.id) throw tableAlreadyExists(input.name, input.displayName)
  const table = existing ?? (await load(job, input, services))

  // Looked at again now that the table is there: a bucket that is being deleted did not see it, or does from now on.
  const bucket = await requireBucket(input.bucketId, services).catch(async error => {
    if (error instanceof UserError) await tables.delete(table)
    throw error
  })
  const siblings = await tables.listInBucket(bucket.id)
  return {
    results: tableResource(table, bucket, siblings, job.baseUrl),
    metrics: loadMetrics(table.lastLoad),
  }
}

const load = async (
  job: ProcessingJob,
  input: InputOf<'tableCreate'>,
  services: RunJobServices,
): Promise<TableRecord> => {
  const { bucketId, name, displayName, fileId, csv, primaryKey } = input
  const { snapshot, load } = await loadFile(
    job,
    {
      tableId: `${bucketId}.${name}`,
      internalId: job.id,
      current: undefined,
      primaryKey,
      incremental: false,
      fileId,
      csv,
    },
    services,
  )
  const at = services.now().toISOString()
  const table: TableRecord = {
    internalId: job.id,
    bucketId,
    name,
    displayName,
    created: at,
    lastImportDate: at,
    lastChangeDate: at,
    lastLoad: load,
    snapshot,
    revision: 1,
  }
  if (await services.tables.insert(table)) return table
  const winner = await services.tables.get(`${bucketId}.${name}`)
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
