import { isFinal, type JobRecord } from './job-record.ts'
import type { StartJob } from './job-starter.ts'
import { createExceptionId, internalJobError, type JobStore } from './job-store.ts'

interface ReviveOptions {
  jobs: JobStore
  startJob: StartJob
  now: () => Date
}

// A job starts within moments of being accepted. One that still waits was not started, or stands in line.
const WAITING_TOO_LONG_MS = 5_000
// Longer than a function can run: either the work is being repeated or nobody does it any more.
const PROCESSING_TOO_LONG_MS = 16 * 60_000

/**
 * Sees to a job that takes suspiciously long, and resolves to it as it is then: one that nobody started is started; one
 * whose execution is over becomes an error.
 *
 * An execution makes its job final before it ends, so the latter was stopped from outside or failed altogether. Whoever
 * polls a job or stands in line behind it calls this: that is how a crash at any moment heals.
 */
export const reviveJob = async (
  job: JobRecord,
  { jobs, startJob, now }: ReviveOptions,
): Promise<JobRecord> => {
  if (!isSuspicious(job, now())) return job
  if ((await startJob(job.id)) === 'running') return job
  const current = (await jobs.get(job.id)) ?? job
  return isFinal(current)
    ? current
    : jobs.fail(current, now(), { error: internalJobError(createExceptionId()) })
}

const isSuspicious = (job: JobRecord, now: Date): boolean => {
  const ageMs = (since: string) => now.getTime() - Date.parse(since)
  if (job.status === 'waiting') return ageMs(job.createdTime) > WAITING_TOO_LONG_MS
  return job.status === 'processing' && ageMs(job.startTime) > PROCESSING_TOO_LONG_MS
}
