import { isFinal, type JobRecord } from './job-record.ts'
import type { JobStore } from './job-store.ts'
import type { TableQueue } from './table-queue.ts'

/** Of more entries than this that crashes left behind, the rest are removed the next time. */
const MAX_STEPS = 50

interface FrontOptions {
  jobs: Pick<JobStore, 'get'>
  queue: Pick<TableQueue, 'first' | 'leave'>
  /** A job whose record is known. */
  known?: JobRecord | undefined
}

/**
 * The job in front of the queue of a table, or `undefined` when nobody is there. Entries of jobs that are over, which a
 * crash left behind, are removed on the way.
 */
export const frontOfQueue = async (
  tableId: string,
  { jobs, queue, known }: FrontOptions,
): Promise<JobRecord | undefined> => {
  for (let step = 0; step < MAX_STEPS; step++) {
    const first = await queue.first(tableId)
    if (first === undefined) return undefined
    const job = first === known?.id ? known : await jobs.get(first)
    if (job && !isFinal(job)) return job
    await queue.leave(tableId, first)
  }
  return undefined
}
