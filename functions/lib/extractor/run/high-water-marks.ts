import type { Json } from '../../json/json-value.ts'
import { evaluate } from '../values/functions/evaluate.ts'
import type { ExpressionContext } from '../values/functions/expression-types.ts'
import { valueAt } from '../values/select/json-path.ts'
import { compareBy } from '../values/select/ordering.ts'
import type { JobPlan } from './job-plan.ts'
import { stateName } from './job-plan.ts'

export type HighWaterMarks = ReturnType<typeof createHighWaterMarks>

/**
 * The largest value seen per job that is incremental by one, kept in the state from run to run.
 *
 * @param before marks of the last run, by `stateName`: requests use these throughout the run
 * @param reached marks raised so far in this run, when it resumes from a checkpoint
 */
export const createHighWaterMarks = (
  before: Readonly<Record<string, Json>>,
  reached: Readonly<Record<string, Json>>,
  now: () => number,
) => {
  const marks = new Map<string, Json>(Object.entries({ ...before, ...reached }))
  return {
    /** What the first request sends: the mark of the last run, else `initial`; `undefined`: nothing. */
    start: (plan: JobPlan, contexts: ExpressionContext): { value: Json; isInitial: boolean } | undefined => {
      const mark = before[stateName(plan)]
      if (mark !== undefined) return { value: mark, isInitial: false }
      const initial = plan.job.incremental?.initial
      if (initial === undefined) return undefined
      return { value: evaluate(initial, contexts, { now: Math.floor(now()) }), isInitial: true }
    },
    note: (plan: JobPlan, items: readonly Json[]): void => {
      const settings = plan.job.incremental
      if (settings === undefined) return
      const name = stateName(plan)
      for (const item of items) {
        const value = valueAt(settings.idKey, item)
        if (value === undefined) continue
        const mark = marks.get(name)
        if (mark === undefined || compareBy(settings.type, value, mark) > 0) marks.set(name, value)
      }
    },
    all: (): Record<string, Json> => Object.fromEntries(marks),
  }
}
