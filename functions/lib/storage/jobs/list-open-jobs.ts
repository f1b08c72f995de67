import { isFinal, type JobRecord } from './job-record.ts'
import type { JobStore } from './job-store.ts'

/** Of the jobs that may be open, so many are read. */
const MAX_READ = 1000

/**
 * The jobs that have not ended, newest first: of those that came after the clock's last look, and of those that it found open
 * (`functions/start-open-jobs`).
 */
export const listOpenJobs = async ({
  open,
  list,
  getMany,
}: Pick<JobStore, 'open' | 'list' | 'getMany'>): Promise<JobRecord[]> => {
  const through = await open.through()
  const found = new Map<number, JobRecord>()
  for await (const job of list(through === undefined ? {} : { sinceId: through })) {
    found.set(job.id, job)
    if (found.size === MAX_READ) break
  }
  const known = (await open.groups()).flatMap(({ ids }) => ids).filter(id => !found.has(id))
  const newest = known.toSorted((a, b) => b - a).slice(0, MAX_READ)
  for (const job of await getMany(newest)) found.set(job.id, job)
  return [...found.values()].filter(job => !isFinal(job)).toSorted((a, b) => b.id - a.id)
}
