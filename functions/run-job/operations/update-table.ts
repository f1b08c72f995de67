import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { tableResource } from '../../lib/storage/tables/table-resource.ts'
import { updateTable as changeTable } from '../../lib/storage/tables/update-table.ts'
import type { RunJobServices } from '../services.ts'
import type { Outcome } from './outcome.ts'

/** Idempotent by itself, so the table need not store the job. */
export const updateTable = async (
  job: ProcessingJob,
  { tableId, displayName }: InputOf<'tableUpdate'>,
  services: RunJobServices,
): Promise<Outcome> => {
  const table = await changeTable(tableId, { displayName }, services)
  const bucket = await services.buckets.get(table.bucketId)
  if (!bucket) return { results: null }
  const siblings = await services.tables.listInBucket(bucket.id)
  return { results: tableResource(table, bucket, siblings, { ...services, baseUrl: job.baseUrl }) }
}
