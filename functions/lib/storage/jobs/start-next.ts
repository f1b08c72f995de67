import { frontOfQueue } from './front-of-queue.ts'
import { branchOf, isFinal, type JobRecord } from './job-record.ts'
import { type ReviveOptions, restartJob } from './revive-job.ts'
import type { TableQueue } from './table-queue.ts'

interface StartOptions extends Pick<ReviveOptions, 'jobs' | 'startJob' | 'now'> {
  queue: TableQueue
}

/** Starts a job that has just been accepted, unless others come before it in the queue of its table or in the share of its token. */
export const startInTurn = async (
  job: JobRecord,
  { queue, jobs, startJob, now }: StartOptions,
): Promise<void> => {
  if (!(await jobs.shares.mayBegin(job))) return
  if (job.queueTableId !== null) {
    // Whoever leaves the queue looks at its front after that. So of two that meet here, one at least sees the other.
    const front = await frontOfQueue(job.queueTableId, { jobs, queue, known: job, now })
    if (front && front.id !== job.id) return
  }
  await startJob(job.id)
}

/**
 * Starts the job that is in front of a queue now. One that is started already keeps its one execution, so it does not
 * matter how often this happens; one whose execution was stopped is failed, and the next one starts.
 */
export const startNext = async (tableId: string, options: StartOptions): Promise<void> => {
  for (;;) {
    const front = await frontOfQueue(tableId, options)
    if (front?.status !== 'waiting') return
    if (!isFinal(await restartJob(front, options))) return
  }
}

/** Starts those jobs of a share that waited for it, now that another one has left it. */
export const startNextOfShare = async (
  share: string,
  { inBranch, ...options }: Pick<ReviveOptions, 'jobs' | 'startJob' | 'inBranch' | 'now'>,
): Promise<void> => {
  for (const id of await options.jobs.shares.waiting(share)) {
    const job = await options.jobs.get(id)
    if (job?.status !== 'waiting') continue
    await startInTurn(job, { ...options, ...inBranch(branchOf(job)) })
    await options.jobs.shares.begun(job)
  }
}
