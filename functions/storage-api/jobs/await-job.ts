import { isFinal, type JobRecord } from '../../lib/storage/jobs/job-record.ts'
import type { JobWait } from '../services.ts'

/**
 * Waits for a job for as long as nobody notices, and resolves to its state.
 *
 * Clients poll once and then sleep for seconds, so a job that ends within this time costs them nothing. Counts pauses
 * instead of reading a clock: the reads in between only make it wait a little longer.
 */
export const awaitJob = async (
  job: JobRecord,
  get: (id: number) => Promise<JobRecord | undefined>,
  { limitMs, intervalMs, sleep }: JobWait,
): Promise<JobRecord> => {
  let current = job
  for (let waitedMs = 0; !isFinal(current) && waitedMs < limitMs; waitedMs += intervalMs) {
    await sleep(intervalMs)
    current = (await get(job.id)) ?? current
  }
  return current
}
