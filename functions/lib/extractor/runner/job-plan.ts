import { createHash } from 'node:crypto'
import type { Job } from '../config/job-schema.ts'
import { parseRowFilter, type RowFilter } from '../select/recursion-filter.ts'
import { createResponseFilter, type ResponseFilterOptions } from '../select/response-filter.ts'
import type { Json } from '../tables/json-value.ts'

/** A job of the configuration, read once. */
export interface JobPlan {
  /** Positions in `config.jobs` and `children`, such as `0.1`: names the plan in checkpoints and summaries. */
  path: string
  job: Job
  /** Table and mapping name. */
  dataType: string
  filterItems: ((items: Json[]) => Json[]) | undefined
  /** Which parent rows get a request; absent for all. */
  rowFilter: RowFilter | undefined
  children: JobPlan[]
}

/**
 * Jobs are kept by id, and a job without one by its content: of equal jobs one runs, and of several with one id the last,
 * in the place of the first (docs/reference/extractor.md#jobs).
 */
export const planJobs = (jobs: readonly Job[], options: ResponseFilterOptions, parent = ''): JobPlan[] => {
  const byId = new Map<string, { job: Job; index: number }>()
  for (const [index, job] of jobs.entries()) {
    byId.set(job.id || createHash('sha256').update(JSON.stringify(job)).digest('hex'), { job, index })
  }
  return [...byId.values()].map(({ job, index }) => {
    const path = parent === '' ? String(index) : `${parent}.${index}`
    return {
      path,
      job,
      dataType: job.dataType || job.endpoint,
      filterItems: createResponseFilter(job, options),
      rowFilter: job.recursionFilter ? parseRowFilter(job.recursionFilter) : undefined,
      children: planJobs(job.children ?? [], options, path),
    }
  })
}

/** Every plan of a tree, parents first. */
export function* allPlans(plans: readonly JobPlan[]): Generator<JobPlan> {
  for (const plan of plans) {
    yield plan
    yield* allPlans(plan.children)
  }
}
