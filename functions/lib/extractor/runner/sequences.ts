import { allPlans, type JobPlan } from './job-plan.ts'
import type { JobRun, PageWork } from './job-run.ts'

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
  if ([...allPlans(plans)].some(({ job }) => (job.method ?? method) !== 'GET')) return [[...plans]]
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

/** The top-level job that a run belongs to. */
export const rootOf = (run: JobRun): string => run.plan.path.split('.')[0] ?? ''

/** Whether a page may be fetched while `head` is the next to write. Pages of a later job may not. */
export const belongsTogether = (head: PageWork, work: PageWork): boolean =>
  rootOf(head.run) === rootOf(work.run)
