import { isFinal, type JobRecord } from '../../lib/storage/jobs/job-record.ts'
import type { JobWait } from '../services.ts'

/**
 * Waits for a job for about as long as a request may take unnoticed, and resolves to the state reached.
 *
 * Clients look once and then sleep for seconds, so a job that is done within this time costs them nothing. Counted in
 * pauses rather than by a clock: the reads in between only make it wait a little longer.
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
