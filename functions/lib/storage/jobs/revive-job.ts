import { createExceptionId } from '../../errors/exception-id.ts'
import { isFinal, type JobRecord } from './job-record.ts'
import type { StartJob } from './job-starter.ts'
import { internalJobError, type JobStore } from './job-store.ts'

interface ReviveOptions {
  jobs: JobStore
  startJob: StartJob
  now: () => Date
}

// A job starts within moments. One that still waits was never started, or is queued.
const WAITING_TOO_LONG_MS = 5_000
// Longer than a function can run: either the work is being repeated, or it has stopped.
const PROCESSING_TOO_LONG_MS = 16 * 60_000

/**
 * Looks after a job that takes suspiciously long. Starts it if nobody did; fails it if its execution has ended.
 * Resolves to the job as stored afterwards.
 *
 * An execution finishes its job before it ends, so one that did not was stopped from outside or failed altogether.
 * Whoever polls a job or is queued behind it calls this. That repairs a crash at any moment.
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
