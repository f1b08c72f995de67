import type { Json } from '../../json/json-value.ts'
import type { JobContext } from './job-context.ts'
import type { JobRun, PendingChildren, PendingPage } from './job-run.ts'
import { lacksValue, resolvePlaceholders } from './placeholders.ts'
import { SKIPPED_ROW } from './run-statistics.ts'
import { startJob } from './start-job.ts'

/** The child jobs of the rows of one page, in the order of the configuration, each for all rows. */
export const pendingChildren = (
  parent: JobRun,
  items: readonly Json[],
  context: JobContext,
): PendingChildren[] => {
  if (items.length === 0) return []
  for (const { job } of parent.plan.children) {
    if (context.evaluateEverywhere || Object.keys(job.placeholders ?? {}).length > 0) continue
    context.log.warning(`No 'placeholders' set for '${job.endpoint}'`)
  }
  return parent.plan.children.map(plan => ({ parent, plan, items, from: 0 }))
}

/**
 * The first pages of the next children, at least `count` if there are so many, and what is left of them. Runs are made when
 * they are soon needed: a page of a hundred thousand rows must not cost as many runs at once.
 *
 * @throws UserError for a placeholder that the row has no value for
 */
export const expandChildren = (
  { parent, plan, items, from }: PendingChildren,
  count: number,
  context: JobContext,
): { pages: PendingPage[]; rest: PendingChildren | undefined } => {
  const pages: PendingPage[] = []
  let position = from
  for (; position < items.length && pages.length < count; position++) {
    const item = items[position] ?? null
    if (plan.rowFilter !== undefined && !plan.rowFilter(item)) continue
    pages.push(...runsFor(parent, plan, item, context))
  }
  return { pages, rest: position < items.length ? { parent, plan, items, from: position } : undefined }
}

/** One run per combination of the placeholders' values. */
const runsFor = (
  parent: JobRun,
  plan: PendingChildren['plan'],
  item: Json,
  context: JobContext,
): PendingPage[] => {
  const rows = [item, ...parent.rows]
  const sets = resolvePlaceholders(
    plan.job.placeholders,
    rows,
    parent.placeholders,
    Math.floor(context.now()),
  )
  if (sets.length === 0 && lacksValue(plan.job.placeholders, rows))
    context.statistics.ended(plan, SKIPPED_ROW)
  // Without any placeholder all rows would ask the same; with parent values in params they do not
  return sets
    .filter(set => set.length > 0 || context.evaluateEverywhere)
    .flatMap(set => startJob(plan, set, rows, context))
}
