import type { Json } from '../../json/json-value.ts'
import { evaluate } from '../values/functions/evaluate.ts'
import type { ExpressionContext } from '../values/functions/function-table.ts'
import { toText } from '../values/php/php-values.ts'
import { valueAt } from '../values/select/json-path.ts'
import { compareBy, isAhead, isNone } from '../values/select/ordering.ts'
import type { JobPlan } from './job-plan.ts'
import { stateName } from './job-plan.ts'
import type { RunStatistics } from './run-statistics.ts'

export type HighWaterMarks = ReturnType<typeof createHighWaterMarks>

/**
 * The largest value seen per job that is incremental by one, kept in the state from run to run. Never a moment beyond now.
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
    start: (plan: JobPlan, contexts: ExpressionContext, statistics: RunStatistics) => {
      const mark = before[stateName(plan)]
      const { type, initial } = plan.job.incremental ?? {}
      if (mark !== undefined && !isAhead(type, mark, now())) return { value: mark, isInitial: false }
      if (mark !== undefined) statistics.note(plan, 'state', toText(mark))
      if (initial === undefined) return undefined
      return { value: evaluate(initial, contexts, { now: Math.floor(now()) }), isInitial: true }
    },
    note: (plan: JobPlan, items: readonly Json[], statistics: RunStatistics): void => {
      const settings = plan.job.incremental
      if (settings === undefined) return
      const name = stateName(plan)
      const { idKey, type } = settings
      const old = marks.get(name)
      if (old !== undefined && isAhead(type, old, now())) marks.delete(name)
      for (const item of items) {
        const value = valueAt(idKey, item)
        if (value === undefined || isNone(value)) continue
        const mark = marks.get(name)
        if (isAhead(type, value, now())) statistics.note(plan, 'ahead', toText(value))
        else if (mark === undefined || compareBy(type, value, mark) > 0) marks.set(name, value)
      }
    },
    all: (): Record<string, Json> => Object.fromEntries(marks),
  }
}
