import { isFinal, type JobRecord } from './job-record.ts'
import type { JobStore } from './job-store.ts'
import type { TableQueue } from './table-queue.ts'

/** Of more entries than this that crashes left behind, the rest are removed the next time. */
const MAX_STEPS = 50

interface FrontOptions {
  jobs: Pick<JobStore, 'get' | 'isNeverStored'>
  queue: Pick<TableQueue, 'first' | 'leave'>
  /** A job whose record is known. */
  known?: JobRecord | undefined
  now: () => Date
}

/**
 * The job in front of the queue of a table, or `undefined` when nobody is there, or one that is being accepted at this
 * moment. Places that a crash left behind, of jobs that are over or were never stored, are removed on the way.
 */
export const frontOfQueue = async (
  tableId: string,
  { jobs, queue, known, now }: FrontOptions,
): Promise<JobRecord | undefined> => {
  for (let step = 0; step < MAX_STEPS; step++) {
    const first = await queue.first(tableId)
    if (first === undefined) return undefined
    const job = first === known?.id ? known : await jobs.get(first)
    if (job && !isFinal(job)) return job
    if (!job && !(await jobs.isNeverStored(first, now()))) return undefined
    await queue.leave(tableId, first)
  }
  return undefined
}
