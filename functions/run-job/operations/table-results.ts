import type { ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { tableResource } from '../../lib/storage/tables/table-resource.ts'
import type { RunJobServices } from '../services.ts'

/** The table as the results of a job show it; `null` when its bucket is gone by now. */
export const tableResults = async (
  { baseUrl }: ProcessingJob,
  table: TableHead,
  services: RunJobServices,
): Promise<Record<string, unknown> | null> => {
  const bucket = await services.buckets.get(table.bucketId)
  if (!bucket) return null
  const siblings = await services.tables.listInBucket(bucket.id)
  return tableResource(table, bucket, siblings, { ...services, baseUrl })
}
