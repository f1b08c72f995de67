import type { Json } from '../tables/index.ts'
import type { JobContext } from './job-context.ts'
import type { JobRun } from './job-run.ts'
import { resolvePlaceholders } from './placeholders.ts'
import { startRun } from './start-run.ts'

/** The runs that the rows of one page ask for: each child job for every row that passes its filter, in order. */
export const childRuns = (parent: JobRun, items: readonly Json[], context: JobContext): JobRun[] => {
  const runs: JobRun[] = []
  for (const plan of parent.plan.children) {
    const { placeholders } = plan.job
    const hasOwn = Object.keys(placeholders ?? {}).length > 0
    if (!hasOwn && !context.evaluateEverywhere && items.length > 0) {
      context.log.warning(`No 'placeholders' set for '${plan.job.endpoint}'`)
    }
    for (const item of items) {
      if (plan.rowFilter !== undefined && !plan.rowFilter(item)) continue
      const rows = [item, ...parent.rows]
      for (const set of resolvePlaceholders(
        placeholders,
        rows,
        parent.placeholders,
        Math.floor(context.now()),
      )) {
        // Without any placeholder all rows would ask the same; with parent values in params they do not
        if (set.length === 0 && !context.evaluateEverywhere) continue
        runs.push(startRun(plan, set, rows, context))
      }
    }
  }
  for (const run of runs) context.statistics.started(run.plan)
  return runs
}
