import type { Json } from '../../json/json-value.ts'
import type { JobContext } from './job-context.ts'
import type { JobPlan } from './job-plan.ts'
import type { PendingPage } from './job-run.ts'
import { eachOf, type Placeholder } from './placeholders.ts'
import { expressionContexts, startRun } from './start-run.ts'
import { sayAs } from './watch-run.ts'

/** For each combination of its lists, the first page of a job. */
export const startJob = (
  plan: JobPlan,
  inherited: readonly Placeholder[],
  rows: readonly Json[],
  context: JobContext,
): PendingPage[] => {
  const { each } = plan.job
  if (each === undefined) return [startOne(plan, inherited, rows, context)]
  const where = `jobs.${plan.path}`
  const contexts = expressionContexts(context, { rows, placeholders: inherited })
  const sets = eachOf(context.evaluate(each, contexts, `${where}.each`), inherited, where)
  if (sets.length === 0) {
    const message = `Job '${plan.job.endpoint}' asks for nothing: a list of ${where}.each is empty.`
    sayAs(plan.job.silence ?? context.silence ?? 'warn', plan, message, context)
  }
  return sets.map(placeholders => startOne(plan, placeholders, rows, context))
}

const startOne = (
  plan: JobPlan,
  placeholders: readonly Placeholder[],
  rows: readonly Json[],
  context: JobContext,
): PendingPage => {
  context.statistics.started(plan)
  const run = startRun(plan, placeholders, rows, context)
  return { run, request: run.paginator.first }
}
