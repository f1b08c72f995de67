import { UserError } from '../../errors/errors.ts'
import type { Json } from '../../json/json-value.ts'
import { evaluate } from '../values/functions/evaluate.ts'
import type { ExpressionContext } from '../values/functions/function-table.ts'
import { durationOf, formatMoment, plus, readMoment } from '../values/functions/moments.ts'
import { toText } from '../values/php/php-values.ts'
import { valueAt } from '../values/select/json-path.ts'
import { compareBy, isAhead, isNone } from '../values/select/ordering.ts'
import { type JobPlan, stateName } from './job-plan.ts'
import type { RunStatistics } from './run-statistics.ts'

type HighWaterMarks = ReturnType<typeof createHighWaterMarks>

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

/** One of the steps in which a job looks from its mark until now, counted from 0. */
export interface Step {
  /** Where the first one begins, in milliseconds since 1970. */
  start: number
  number: number
}

/** Of one job in one run. */
const MAX_STEPS = 100_000

interface Asking {
  marks: HighWaterMarks
  time: { currentStart: number }
  statistics: RunStatistics
}

/**
 * What a request of an incremental job carries: the mark of the last run, less the lookback, and the end of its step.
 *
 * @param step that follows another one of this run
 * @throws UserError `extractor.value.order` for a mark that is no time where one is needed
 */
export const askFor = (
  plan: JobPlan,
  contexts: ExpressionContext,
  { marks, time, statistics }: Asking,
  step?: Step,
): { params: Record<string, Json>; step?: Step } => {
  const settings = plan.job.incremental
  const mark = settings && marks.start(plan, contexts, statistics)
  if (settings === undefined || mark === undefined) return { params: {} }
  const { param, until, format } = settings
  const lookback = mark.isInitial ? undefined : settings.lookback
  const back = (moment: number) => (lookback === undefined ? moment : plus(moment, durationOf(lookback), -1))
  if (settings.step === undefined || until === undefined) {
    const value = lookback === undefined ? mark.value : formatMoment(back(momentOf(plan, mark.value)), format)
    return { params: { [param]: value } }
  }
  const at = step ?? { start: back(momentOf(plan, mark.value)), number: 0 }
  if (at.number >= MAX_STEPS)
    throw new UserError(
      'extractor.config.invalid',
      `Invalid configuration: "step": "${settings.step}" makes more than ${MAX_STEPS} steps until now at jobs.${plan.path}.incremental. Take a longer one.`,
    )
  const [from, to] = [beginOf(at, settings.step), beginOf({ ...at, number: at.number + 1 }, settings.step)]
  const now = time.currentStart * 1_000
  return {
    params: {
      [param]: formatMoment(from, format),
      // A mark of a clock that is ahead is asked for all the same
      [until]: formatMoment(from < now ? Math.min(to, now) : to, format),
    },
    step: at,
  }
}

/** The step after one whose last page has come; `undefined` when that one went until now. */
export const stepAfter = (
  plan: JobPlan,
  step: Step | undefined,
  { time }: Pick<Asking, 'time'>,
): Step | undefined => {
  const length = plan.job.incremental?.step
  if (length === undefined || step === undefined) return undefined
  const next = { ...step, number: step.number + 1 }
  return beginOf(next, length) < time.currentStart * 1_000 ? next : undefined
}

/** All are counted from the same start: month by month from 31 January, the later ones would otherwise begin on the 28th. */
const beginOf = ({ start, number }: Step, length: string): number => plus(start, durationOf(length), number)

const momentOf = ({ job, path }: JobPlan, mark: Json): number => {
  const moment = readMoment(mark, job.incremental?.format)
  if (moment !== undefined) return moment
  throw new UserError(
    'extractor.value.order',
    `"lookback" and "step" of jobs.${path}.incremental need a time, and the mark is ${JSON.stringify(mark)}`,
  )
}
