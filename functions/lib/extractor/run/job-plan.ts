import { hexDigest } from '../../digests.ts'
import type { Json } from '../../json/json-value.ts'
import type { Job } from '../config/job-schema.ts'
import { createErrorRules, type RuleFor } from '../requests/http/retry-delay.ts'
import {
  createResponseFilter,
  parseRowFilter,
  type ResponseFilterOptions,
  type RowFilter,
} from '../values/select/response-filter.ts'
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
  /** Its own error rules. */
  ruleFor: RuleFor | undefined
  children: JobPlan[]
}

/**
 * Jobs are kept by id, and a job without one by its content: of equal jobs one runs, and of several with one id the last,
 * in the place of the first (docs/reference/extractor-jobs.md#jobs).
 */
export const planJobs = (jobs: readonly Job[], options: ResponseFilterOptions, parent = ''): JobPlan[] => {
  const byId = new Map<string, { job: Job; index: number }>()
  for (const [index, job] of jobs.entries()) {
    byId.set(job.id || hexDigest(JSON.stringify(job)), { job, index })
  }
  return [...byId.values()].map(({ job, index }) => {
    const path = parent === '' ? String(index) : `${parent}.${index}`
    return {
      path,
      job,
      dataType: job.dataType || job.endpoint,
      filterItems: createResponseFilter(job, options),
      rowFilter: job.recursionFilter ? parseRowFilter(job.recursionFilter) : undefined,
      ruleFor: job.errorRules && createErrorRules(job.errorRules),
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

/**
 * Groups the top-level jobs into sequences that may run side by side. Jobs that could write to the same table share a
 * sequence, so that every table has its rows in the order of the configuration. All jobs share one when a job may change
 * something at the API.
 *
 * @param method of jobs that name none
 */
export const groupByTable = (
  plans: readonly JobPlan[],
  { mappings, method = 'GET' }: { mappings: unknown; method?: string | undefined },
): JobPlan[][] => {
  // A POST may prepare what a later job reads
  const mayChange = ({ job }: JobPlan) => job.body !== undefined || (job.method ?? method) !== 'GET'
  if ([...allPlans(plans)].some(mayChange)) return [[...plans]]
  // Mappings can send rows of any type to any table
  if (typeof mappings === 'object' && mappings !== null && Object.keys(mappings).length > 0)
    return [[...plans]]
  const groups: { plans: JobPlan[]; tables: string[] }[] = []
  for (const plan of plans) {
    const tables = [...allPlans([plan])].map(({ dataType }) => tableName(dataType))
    const sharing = groups.filter(group => group.tables.some(a => tables.some(b => mayShare(a, b))))
    const [first, ...others] = sharing
    if (first === undefined) {
      groups.push({ plans: [plan], tables })
      continue
    }
    for (const other of others) {
      first.plans.push(...other.plans)
      first.tables.push(...other.tables)
      groups.splice(groups.indexOf(other), 1)
    }
    first.plans.push(plan)
    first.tables.push(...tables)
  }
  return groups.map(group => group.plans.sort((a, b) => plans.indexOf(a) - plans.indexOf(b)))
}

/** The name as the table gets it. Names of over 64 characters are shortened and may become equal to any other. */
const tableName = (dataType: string): string =>
  dataType.replace(/[^A-Za-z0-9-]+/g, '_').replace(/^_+|_+$/g, '')

/** A list inside a row becomes the table `<table>_<path>`. */
const mayShare = (a: string, b: string): boolean =>
  a === b ||
  a.startsWith(`${b}_`) ||
  b.startsWith(`${a}_`) ||
  a.length > 40 ||
  b.length > 40 ||
  a === '' ||
  b === ''

/** Name of a job in the state. Stable while the job's id, or its place and endpoint, stay the same. */
export const stateName = ({ job, path }: JobPlan): string =>
  job.id || `${job.endpoint}#${hexDigest(`${path}\0${job.endpoint}\0${job.dataType ?? ''}`, 12)}`
