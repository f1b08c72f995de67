import { executionOfJob } from '../../asked-wait.ts'
import { isUnderWay, type Machines } from '../../cloud/machines.ts'
import { createExceptionId } from '../../errors/exception-id.ts'
import type { MachineFailure } from '../../errors/machine-failure.ts'
import { internalJobError } from './job-errors.ts'
import { branchOf, isFinal, type JobRecord } from './job-record.ts'
import type { JobStore } from './job-store.ts'
import type { TableQueue } from './table-queue.ts'

interface StartOptions extends Pick<ReviveOptions, 'jobs' | 'startJob' | 'now'> {
  queue: TableQueue
}

/** Starts a job that has just been accepted, unless others come before it in the queue of its table. */
export const startInTurn = async (job: JobRecord, { queue, jobs, startJob }: StartOptions): Promise<void> => {
  if (job.queueTableId !== null) {
    // Whoever leaves the queue looks at its front after that. So of two that meet here, one at least sees the other.
    const front = await frontOfQueue(job.queueTableId, { jobs, queue, known: job })
    if (front && front.id !== job.id) return
  }
  await startJob(job.id)
}

/**
 * Starts the job that is in front of a queue now. One that is started already keeps its one execution, so it does not
 * matter how often this happens; one whose execution was stopped is closed, and then the next one starts.
 */
export const startNext = async (tableId: string, options: StartOptions): Promise<void> => {
  for (;;) {
    const front = await frontOfQueue(tableId, options)
    if (front?.status !== 'waiting') return
    if (!isFinal(await restartJob(front, options))) return
  }
}

interface FrontOptions {
  jobs: Pick<JobStore, 'get'>
  queue: Pick<TableQueue, 'first'>
  /** A job whose record is known. */
  known?: JobRecord | undefined
}

/** The job in front of the queue of a table, or `undefined` when nobody is there. */
const frontOfQueue = async (
  tableId: string,
  { jobs, queue, known }: FrontOptions,
): Promise<JobRecord | undefined> => {
  const first = await queue.first(tableId)
  if (first === undefined) return undefined
  const job = first === known?.id ? known : await jobs.get(first)
  // It may end while it is looked for.
  return job && !isFinal(job) ? job : undefined
}

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
 * Looks after a job that takes suspiciously long. Starts it if nobody did; has it closed if its execution has ended.
 * Resolves to the job as stored afterwards.
 *
 * An execution finishes its job before it ends, so one that did not was stopped from outside or failed altogether.
 * A job that waits behind others in the queue of its table has no execution yet: then the one in front is looked after,
 * which starts the next one when it ends. Whoever polls a job or is queued behind it calls this, and the clock does. That repairs a crash at any
 * moment.
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
  if (!front) return job
  if (!isSuspicious(front, options.now())) return job
  const restarted = await restartJob(front, options)
  if (front.id === job.id) return restarted
  // One that could only be failed is not in front any more.
  return isFinal(restarted) ? reviveQueue(job, tableId, options) : job
}

const GONE = { Error: 'ExecutionGone', Cause: 'The execution of the job has ended and left the job open.' }

/**
 * Starts the job if nobody did. If its execution has ended, another one closes the job: it looks
 * whether the work was done, which takes the rights of the work. When that one has ended too, nobody knows. Resolves to the job as stored
 * afterwards.
 */
const restartJob = async (
  job: JobRecord,
  { jobs, startJob, now }: Pick<ReviveOptions, 'jobs' | 'startJob' | 'now'>,
): Promise<JobRecord> => {
  if ((await startJob(job.id)) === 'running') return job
  const current = (await jobs.get(job.id)) ?? job
  if (isFinal(current)) return current
  if ((await startJob(job.id, GONE)) === 'running') return current
  const closed = (await jobs.get(job.id)) ?? current
  if (isFinal(closed)) return closed
  return jobs.fail(closed, now(), { error: internalJobError(createExceptionId(), closed.input) })
}

const isSuspicious = (job: JobRecord, now: Date): boolean => {
  const ageMs = (since: string) => now.getTime() - Date.parse(since)
  if (job.status === 'waiting') return ageMs(job.createdTime) > WAITING_TOO_LONG_MS
  return !isFinal(job) && ageMs(job.startTime) > PROCESSING_TOO_LONG_MS
}

/** `ended`: this job was started before, and its execution has ended. */
type StartResult = 'running' | 'ended'

/**
 * Starts the execution of a job. Idempotent, because the execution is named after its job: a job that was accepted but
 * not started can be started by whoever waits for it. With a failure it starts the one execution that closes the job for it.
 */
export type StartJob = (jobId: number, failure?: MachineFailure) => Promise<StartResult>

/** Name of the execution that closes a job whose own one is gone. */
export const closingExecution = (jobId: number): string => `${executionOfJob(jobId)}-close`

export const createJobStarter =
  (machines: Pick<Machines, 'start' | 'describe'>, machineArn: string): StartJob =>
  async (jobId, failure) => {
    const name = failure ? closingExecution(jobId) : executionOfJob(jobId)
    const execution = { machineArn, name }
    if (await machines.start({ ...execution, input: { jobId, failure } })) return 'running'
    // Step Functions accepts a repeat while the execution runs and refuses it afterwards (API Reference,
    // StartExecution). We check its state all the same: an emulator may refuse for other reasons.
    return isUnderWay(await machines.describe(execution)) ? 'running' : 'ended'
  }
