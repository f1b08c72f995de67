import { createExceptionId } from '../../errors/exception-id.ts'
import { frontOfQueue } from './front-of-queue.ts'
import { branchOf, isFinal, type JobRecord } from './job-record.ts'
import type { StartJob } from './job-starter.ts'
import { internalJobError, type JobStore } from './job-store.ts'
import type { TableQueue } from './table-queue.ts'

export interface ReviveOptions {
  jobs: JobStore
  startJob: StartJob
  /** The queues of a branch. */
  inBranch: (branchId: number) => { queue: TableQueue }
  now: () => Date
  /** Whether to look after a queue, by its branch and table. Default: yes. */
  isLookDue?: ((queue: string) => boolean) | undefined
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
 * A job that waits behind others in the queue of its table has no execution yet: then the one in front is looked after,
 * which starts the next one when it ends. Whoever polls a job or is queued behind it calls this, and the clock does. That
 * repairs a crash at any moment.
 */
export const reviveJob = async (job: JobRecord, options: ReviveOptions): Promise<JobRecord> => {
  if (!isSuspicious(job, options.now())) return job
  if (job.status !== 'waiting' || job.queueTableId === null) return restartJob(job, options)
  const isDue = options.isLookDue?.(`${branchOf(job)}/${job.queueTableId}`) ?? true
  return isDue ? reviveQueue(job, job.queueTableId, options) : job
}

const reviveQueue = async (job: JobRecord, tableId: string, options: ReviveOptions): Promise<JobRecord> => {
  const { queue } = options.inBranch(branchOf(job))
  const front = await frontOfQueue(tableId, { ...options, queue, known: job })
  // Of a job that has lost its place, its own execution decides whether it may still have one.
  if (front?.id !== job.id && !(await queue.has(tableId, job.id))) return restartJob(job, options)
  if (!front) return job
  if (!isSuspicious(front, options.now())) return job
  const restarted = await restartJob(front, options)
  if (front.id === job.id) return restarted
  // One that could only be failed is not in front any more.
  return isFinal(restarted) ? reviveQueue(job, tableId, options) : job
}

/**
 * Starts the job if nobody did, unless it waits for the share of its token; fails it if its execution has ended. Resolves to the job as
 * stored afterwards.
 */
export const restartJob = async (
  job: JobRecord,
  { jobs, startJob, now }: Pick<ReviveOptions, 'jobs' | 'startJob' | 'now'>,
): Promise<JobRecord> => {
  if (job.status === 'waiting' && !(await mayBegin(job, { jobs, now }))) return job
  if ((await startJob(job.id)) === 'running') return job
  const current = (await jobs.get(job.id)) ?? job
  return isFinal(current)
    ? current
    : jobs.fail(current, now(), { error: internalJobError(createExceptionId()) })
}

/** Places in the share that a crash left, of jobs that are over or were never stored, are removed on the way. */
const mayBegin = async (
  job: JobRecord,
  { jobs, now }: Pick<ReviveOptions, 'jobs' | 'now'>,
): Promise<boolean> => {
  const { share } = job
  if (share === undefined || (await jobs.shares.mayBegin(job))) return true
  const ids = await jobs.shares.underWay(share)
  const stored = new Map((await jobs.getMany(ids)).map(found => [found.id, found]))
  for (const id of ids) {
    const found = stored.get(id)
    if (found ? isFinal(found) : await jobs.isNeverStored(id, now())) await jobs.shares.leave({ id, share })
  }
  return jobs.shares.mayBegin(job)
}

const isSuspicious = (job: JobRecord, now: Date): boolean => {
  const ageMs = (since: string) => now.getTime() - Date.parse(since)
  if (job.status === 'waiting') return ageMs(job.createdTime) > WAITING_TOO_LONG_MS
  return job.status === 'processing' && ageMs(job.startTime) > PROCESSING_TOO_LONG_MS
}
