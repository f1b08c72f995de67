import { executionOfJob } from '../../asked-wait.ts'
import { isUnderWay, type Machines } from '../../cloud/machines.ts'
import { createExceptionId } from '../../errors/exception-id.ts'
import type { MachineFailure } from '../../errors/machine-failure.ts'
import { runOfJob } from '../../wire/run-body.ts'
import { ofBranch } from '../db/branch-id.ts'
import { internalJobError } from './job-errors.ts'
import { branchOf, isFinal, type JobRecord } from './job-record.ts'
import { isRun, type JobStore, queuesOf, type RunJob } from './job-store.ts'
import type { TableQueue } from './table-queue.ts'

/** Starts a job that has just been accepted, unless others come before it in the queue of its table. Resolves to whether none does. */
export const startInTurn = async (
  job: JobRecord,
  { queue, startJob }: { queue: TableQueue; startJob: StartJob },
): Promise<boolean> => {
  // Whoever leaves the queue looks at its front after that. So of two that meet here, one at least sees the other.
  const first = job.queueTableId === null ? undefined : await queue.first(job.queueTableId)
  if (first !== undefined && first !== job.id) return false
  await startJob(job)
  return true
}

/**
 * Starts the job that is in front of a queue now. One that is started already keeps its one execution, so it does not
 * matter how often this happens; one whose execution was stopped is closed, and then the next one starts.
 */
const startNext = async (tableId: string, queue: TableQueue, options: StartOptions): Promise<void> => {
  for (;;) {
    const first = await queue.first(tableId)
    const front = first === undefined ? undefined : await options.jobs.get(first)
    // It may end while it is looked for.
    if (front?.status !== 'waiting') return
    if (!isFinal(await restartJob(front, options))) return
  }
}

interface BehindOptions extends StartOptions {
  inBranch: (branchId: number) => { queue: TableQueue }
  log: { error(message: string, extra: Record<string, unknown>): void }
}

/** Starts the jobs that come after one that has ended. Its work is done, whatever becomes of them: the clock finds them, too. */
export const startBehind = async (job: JobRecord, options: BehindOptions): Promise<void> => {
  const { queue } = options.inBranch(branchOf(job))
  for (const tableId of queuesOf(job))
    await startNext(tableId, queue, options).catch((error: unknown) =>
      options.log.error('next job not started', { jobId: job.id, tableId, error }),
    )
}

export interface StartOptions {
  jobs: JobStore
  startJob: StartJob
  now: () => Date
}

// Longer than a function can run: either the work is being repeated, or it has stopped. A run may last for days.
const PROCESSING_TOO_LONG_MS = 16 * 60_000

/**
 * Looks after a job that is open and has nobody in front. Starts it if nobody did; has it closed if it has been processing for too long and its
 * execution has ended. An execution finishes its job before it ends, so one that did not was stopped from outside or failed altogether.
 */
export const reviveJob = async (job: JobRecord, options: StartOptions): Promise<void> => {
  const isLong =
    job.status === 'processing' &&
    options.now().getTime() - Date.parse(job.startTime) > PROCESSING_TOO_LONG_MS
  if (job.status === 'waiting' || isLong || isRun(job)) await restartJob(job, options)
}

const GONE = { Error: 'ExecutionGone', Cause: 'The execution of the job has ended and left the job open.' }

/**
 * Starts the job if nobody did. If its execution has ended, another one closes the job: it looks
 * whether the work was done, which takes the rights of the work. When that one has ended too, nobody knows. Resolves to the job as stored
 * afterwards.
 */
const restartJob = async (job: JobRecord, { jobs, startJob, now }: StartOptions): Promise<JobRecord> => {
  if ((await startJob(job)) === 'running') return job
  const current = (await jobs.get(job.id)) ?? job
  if (isFinal(current)) return current
  if ((await startJob(job, GONE)) === 'running') return current
  const closed = (await jobs.get(job.id)) ?? current
  if (isFinal(closed)) return closed
  return jobs.fail(closed, now(), { error: internalJobError(createExceptionId(), closed.input) })
}

/** `ended`: this job was started before, and its execution has ended. */
type StartResult = 'running' | 'ended'

/**
 * Starts the execution of a job. Idempotent, because the execution is named after its job: a job that was accepted but
 * not started can be started by whoever waits for it. With a failure it starts the one execution that closes the job for it.
 */
export type StartJob = (job: JobRecord, failure?: MachineFailure) => Promise<StartResult>

/** Name of the execution that closes a job whose own one is gone. */
export const closingExecution = (jobId: number): string => `${executionOfJob(jobId)}-close`

/** Executions of the extract machine are runs, those of the other one all other jobs, and what closes a job whose own execution is gone. */
export const createJobStarter = (
  machines: Pick<Machines, 'start' | 'describe'>,
  arns: { jobs: string; runs: string },
): StartJob => {
  const executionFor = (job: JobRecord, failure?: MachineFailure) => {
    const jobId = job.id
    if (failure) return { machineArn: arns.jobs, name: closingExecution(jobId), input: { jobId, failure } }
    return isRun(job)
      ? { machineArn: arns.runs, name: runOfJob(jobId), input: inputOfRun(job) }
      : { machineArn: arns.jobs, name: executionOfJob(jobId), input: { jobId } }
  }
  return async (job, failure) => {
    const execution = executionFor(job, failure)
    if (await machines.start(execution)) return 'running'
    // Step Functions accepts a repeat while the execution runs and refuses it afterwards (API Reference,
    // StartExecution). We check its state all the same: an emulator may refuse for other reasons.
    return isUnderWay(await machines.describe(execution)) ? 'running' : 'ended'
  }
}

/** The run may do no more than the token that asked for the job. */
export const inputOfRun = (job: RunJob) => {
  const { operationName: _, ...asked } = job.input
  return {
    ...asked,
    trigger: asked.trigger ?? `job ${job.id}`,
    authorTokenId: job.creatorToken.id,
    // What the author saw. A schedule has seen no version.
    ...(asked.trigger === undefined && { configVersion: job.operationParams['version'] }),
    ...ofBranch(branchOf(job)),
    jobId: job.id,
  }
}
