import type { JobContext } from '../runner/job-context.ts'
import type { KeyLogs } from './key-logs.ts'
import type { MarkedJob } from './marked-jobs.ts'

/** Of the jobs of one iteration. */
export const noteKeysOf = (
  marked: readonly MarkedJob[],
  iteration: number,
  logs: KeyLogs,
): JobContext['noteKeys'] => {
  const byPath = new Map(marked.filter(({ index }) => index === iteration).map(job => [job.path, job]))
  if (byPath.size === 0) return undefined
  return ({ plan, columns }, items) => {
    const job = byPath.get(plan.path)
    if (job !== undefined) logs.note(job, columns, items)
  }
}
