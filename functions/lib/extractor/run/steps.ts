import { UserError } from '../../errors/errors.ts'
import type { Json } from '../../json/json-value.ts'
import type { ExpressionContext } from '../values/functions/function-table.ts'
import { durationOf, formatMoment, plus, readMoment } from '../values/functions/moments.ts'
import type { JobContext } from './job-context.ts'
import type { JobPlan } from './job-plan.ts'

/** One of the steps in which a job looks from its mark until now, counted from 0. */
export interface Step {
  /** Where the first one begins, in milliseconds since 1970. */
  start: number
  number: number
}

interface Asked {
  params: Record<string, Json>
  step?: Step | undefined
}

/** Of one job in one run. */
const MAX_STEPS = 100_000

/**
 * What a request of an incremental job carries: the mark of the last run, less the lookback, and the end of its step.
 *
 * @param step that follows another one of this run
 * @throws UserError `extractor.value.order` for a mark that is no time where one is needed
 */
export const askFor = (
  plan: JobPlan,
  contexts: ExpressionContext,
  { marks, time, statistics }: JobContext,
  step?: Step,
): Asked => {
  const settings = plan.job.incremental
  const mark = settings && marks.start(plan, contexts, statistics)
  if (settings === undefined || mark === undefined) return { params: {} }
  const { param, until, lookback, format } = settings
  const back = mark.isInitial ? undefined : lookback
  if (settings.step === undefined || until === undefined) {
    const value =
      back === undefined
        ? mark.value
        : formatMoment(plus(momentOf(plan, mark.value), durationOf(back), -1), format)
    return { params: { [param]: value } }
  }
  const read = step === undefined ? momentOf(plan, mark.value) : 0
  const at = step ?? { start: back === undefined ? read : plus(read, durationOf(back), -1), number: 0 }
  const [from, to] = [beginOf(at, settings.step), beginOf({ ...at, number: at.number + 1 }, settings.step)]
  const now = time.currentStart * 1_000
  if (at.number >= MAX_STEPS)
    throw new UserError(
      'extractor.config.invalid',
      `Invalid configuration: "step": "${settings.step}" makes more than ${MAX_STEPS} steps until now at jobs.${plan.path}.incremental. Take a longer one.`,
    )
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
export const stepAfter = (plan: JobPlan, step: Step | undefined, { time }: JobContext): Step | undefined => {
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
