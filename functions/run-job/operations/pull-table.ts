import type { InputOf, ProcessingJob } from '../../lib/storage/jobs/job-record.ts'
import { tableNotFound } from '../../lib/storage/tables/table-errors.ts'
import { tableResource } from '../../lib/storage/tables/table-resource.ts'
import type { RunJobServices } from '../services.ts'
import type { Outcome } from './outcome.ts'

/** Replaces the branch's table by the default branch's as it is now. No rows are copied: files never change. */
export const pullTable = async (
  job: ProcessingJob,
  { tableId }: InputOf<'tablePull'>,
  { own, buckets, tables, totals, projectId }: RunJobServices,
): Promise<Outcome> => {
  if (!(await own.pull(tableId))) throw tableNotFound(tableId, projectId)
  const table = await tables.getHead(tableId)
  const bucket = table && (await buckets.get(table.bucketId))
  if (!bucket) return { results: null }
  const place = { projectId, baseUrl: job.baseUrl }
  return { results: tableResource(table, bucket, await totals.of(bucket.id), place) }
}
