import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { tableResource } from '../../lib/storage/tables/table-resource.ts'
import { updateTable as changeTable } from '../../lib/storage/tables/update-table.ts'
import type { RunJobServices } from '../services.ts'

/** Repeating it changes nothing more, so that it needs no note of its job. */
export const updateTable = async (
  job: ProcessingJob,
  { tableId, displayName }: InputOf<'tableUpdate'>,
  services: RunJobServices,
): Promise<Record<string, unknown> | null> => {
  const table = await changeTable(tableId, { displayName }, services)
  const bucket = await services.buckets.get(table.bucketId)
  if (!bucket) return null
  return tableResource(table, bucket, await services.tables.listInBucket(bucket.id), job.baseUrl)
}
