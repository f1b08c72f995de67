import { isFinal, type JobRecord } from '../../lib/storage/jobs/job-record.ts'
import type { JobWait } from '../services/services.ts'

/**
 * Waits for a job for as long as nobody notices, and resolves to its state.
 *
 * Clients poll once and then sleep for seconds, so a job that ends within this time costs them nothing. Counts pauses
 * instead of reading a clock: the reads in between only make it wait a little longer.
 */
export const awaitJob = async (
  job: JobRecord,
  get: (id: number) => Promise<JobRecord | undefined>,
  { limitMs, pauseMs, sleep }: JobWait,
): Promise<JobRecord> => {
  let current = job
  for (let waitedMs = 0; !isFinal(current) && waitedMs < limitMs; ) {
    const pause = Math.min(pauseMs(waitedMs), limitMs - waitedMs)
    await sleep(pause)
    waitedMs += pause
    current = (await get(job.id)) ?? current
  }
  return current
}

const SHORTEST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 1_000
const SHARE_OF_WAIT = 1 / 8

/** An eighth of all waits before it, so that a wait is hardly longer than the job: 16 looks in the first second, then fewer, at least one a second. */
export const growingPause = (waitedMs: number): number =>
  Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, Math.round(waitedMs * SHARE_OF_WAIT)))
