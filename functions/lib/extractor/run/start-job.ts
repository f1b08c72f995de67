import { shortDigest } from '../../digests.ts'
import { UserError } from '../../errors/errors.ts'
import type { Json } from '../../json/json-value.ts'
import { type WindowSettings, windowsOf } from '../config/incremental-schema.ts'
import { timeToRead, type Window, windowAt } from '../paging/windows/windows.ts'
import { durationOf } from '../values/functions/duration.ts'
import { evaluate } from '../values/functions/evaluate.ts'
import { formatMoment, readMoment } from '../values/functions/moments.ts'
import { isEmpty, toText } from '../values/php/php-values.ts'
import type { JobContext } from './job-context.ts'
import type { JobPlan } from './job-plan.ts'
import type { Pending, PendingWindows } from './job-run.ts'
import { firstRequest } from './make-report.ts'
import { type Above, eachOf, type Placeholder } from './placeholders.ts'
import { isBroken, progressName } from './run-window.ts'
import { expressionContexts, startRun } from './start-run.ts'
import { sayAs } from './watch-run.ts'

/** For each combination of its lists, the first page of a job, or all its windows. None when its time has been read before. */
export const startJob = (
  plan: JobPlan,
  inherited: readonly Placeholder[],
  rows: readonly Json[],
  context: JobContext,
): Pending[] => {
  const { each } = plan.job
  if (each === undefined) return startOne(plan, inherited, rows, context)
  const where = `jobs.${plan.path}`
  const contexts = expressionContexts(context, { rows, placeholders: inherited })
  const sets = eachOf(context.evaluate(each, contexts, `${where}.each`), inherited, where)
  if (sets.length === 0) {
    const message = `Job '${plan.job.endpoint}' asks for nothing: a list of ${where}.each is empty.`
    sayAs(plan.job.silence ?? context.silence ?? 'warn', plan, message, context)
  }
  return sets.flatMap(placeholders => startOne(plan, placeholders, rows, context))
}

const startOne = (
  plan: JobPlan,
  placeholders: readonly Placeholder[],
  rows: readonly Json[],
  context: JobContext,
): Pending[] => {
  const settings = windowsOf(plan.job)
  if (settings === undefined) {
    context.statistics.started(plan)
    const run = startRun(plan, placeholders, rows, context)
    return [{ run, request: firstRequest(run, { rows, placeholders }, context) }]
  }
  const part = rows.length === 0 && placeholders.length === 0 ? '' : partName(plan.job.endpoint, placeholders)
  const begun = context.windows.begin(progressName(plan, context), part)
  if (begun === undefined) return []
  const whole = timeToRead({ ...endsOf(plan, settings, { rows, placeholders }, context), ...begun }, settings)
  if (whole === undefined) {
    const { finished = 0 } = begun
    if (finished > context.time.currentStart * 1_000) {
      const message = `Job '${plan.job.endpoint}' asks for nothing: the state says that it is read up to ${String(formatMoment(finished))}, which is to come.`
      sayAs(plan.job.silence ?? context.silence ?? 'warn', plan, message, context)
    }
    context.statistics.ended(plan, 'all windows have been read before')
    return []
  }
  checkCount(plan, whole, settings)
  return [{ plan, placeholders, rows, part, whole, number: 0 }]
}

/** The runs of the next windows, at least `count` if there are so many, and the windows left. */
export const expandWindows = (
  pending: PendingWindows,
  count: number,
  context: JobContext,
): { pages: Pending[]; rest: PendingWindows | undefined } => {
  const { plan, placeholders, rows, part, whole } = pending
  const settings = windowsOf(plan.job)
  if (settings === undefined || isBroken(plan, pending, context)) return { pages: [], rest: undefined }
  const pages: Pending[] = []
  let { number } = pending
  for (; pages.length < count * 2; number++) {
    const window = windowAt(whole, number, settings)
    if (window === undefined) return { pages, rest: undefined }
    context.statistics.started(plan)
    const run = startRun(plan, placeholders, rows, context, { ...window, part })
    pages.push(
      { run, request: firstRequest(run, { rows, placeholders }, context) },
      { plan, part, end: window.end },
    )
  }
  return { pages, rest: { ...pending, number } }
}

/** What the configuration says of where to begin and to end. Never later than now: what is not there yet cannot be read. */
const endsOf = (
  plan: JobPlan,
  settings: WindowSettings,
  above: Above,
  context: JobContext,
): { start: number | undefined; end: number } => {
  const contexts = expressionContexts(context, above)
  const now = context.time.currentStart * 1_000
  const read = (name: 'start' | 'end'): number | undefined => {
    if (settings[name] === undefined) return undefined
    const path = `jobs.${plan.path}.incremental.${name}`
    const value = evaluate(settings[name], contexts, { path, now: context.time.currentStart })
    const moment = isEmpty(value) && value !== 0 ? undefined : readMoment(value, settings.format)
    if (moment !== undefined) return moment
    throw new UserError('extractor.value.order', `"${name}" of ${path} is no time: ${JSON.stringify(value)}`)
  }
  return { start: read('start'), end: Math.min(read('end') ?? now, now) }
}

/** Of one job or parent row in one run. */
const MAX_WINDOWS = 100_000
const SHORTEST_MONTH_MS = 28 * 86_400_000

const checkCount = (plan: JobPlan, { start, end }: Window, { step }: WindowSettings): void => {
  if (start === undefined || step === undefined) return
  const { months, milliseconds } = durationOf(step)
  const count = Math.ceil((end - start) / (months * SHORTEST_MONTH_MS + milliseconds))
  if (count <= MAX_WINDOWS) return
  throw new UserError(
    'extractor.config.invalid',
    `Invalid configuration: "step": "${step}" makes ${count} windows at jobs.${plan.path}.incremental, more than ${MAX_WINDOWS}. Take a longer one.`,
  )
}

/** A longer name is replaced by its digest: the state has one for each parent row. */
const LONGEST_NAME = 100

/**
 * What tells the progress of one parent row from that of the others: the values that its request is made of.
 *
 * @throws UserError `extractor.config.invalid` when there are none
 */
const partName = (endpoint: string, placeholders: readonly { name: string; value: Json }[]): string => {
  if (placeholders.length === 0)
    throw new UserError(
      'extractor.config.invalid',
      `Invalid configuration: the child job '${endpoint}' has windows and no "placeholders", which tell the parent rows apart.`,
    )
  const name = placeholders.map(({ name, value }) => `${name}=${toText(value)}`).join('&')
  return name.length <= LONGEST_NAME ? name : shortDigest(name, 22)
}
