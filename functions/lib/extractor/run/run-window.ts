import type { Json } from '../../json/json-value.ts'
import { type WindowSettings, windowsOf } from '../config/incremental-schema.ts'
import type { Job } from '../config/job-schema.ts'
import { sentWindow } from '../config/sent-window.ts'
import type { Window } from '../paging/windows/windows.ts'
import { durationOf } from '../values/functions/duration.ts'
import { formatMoment, readMoment } from '../values/functions/moments.ts'
import { valueAt } from '../values/select/json-path.ts'
import type { JobContext } from './job-context.ts'
import { allPlans, type JobPlan, stateName } from './job-plan.ts'
import type { JobRun, RunWindow, WindowEnd } from './job-run.ts'
import type { Placeholder } from './placeholders.ts'

interface SentWindow {
  /** What `{"window": "start"}` and `{"window": "end"}` are. */
  values: Record<string, Json>
  params: Record<string, Json>
  /** For `{window.start}` and `{window.end}` in the endpoint. */
  placeholders: Placeholder[]
}

export const windowValues = (job: Job, window: Window | undefined): SentWindow | undefined => {
  const settings = windowsOf(job)
  if (settings === undefined || window === undefined) return undefined
  const { param, until, granularity, overlap, format } = settings
  // With a granularity the end belongs to the window, and the next one begins a granule later
  const last = window.end - (granularity === undefined ? 0 : durationOf(granularity).milliseconds)
  const first =
    window.start === undefined
      ? undefined
      : window.start - (overlap === undefined ? 0 : durationOf(overlap).milliseconds)
  const values: Record<string, Json> = {
    ...(first === undefined ? {} : { start: formatMoment(first, format) }),
    end: formatMoment(last, format),
  }
  const { start, end } = values
  return {
    values,
    params: {
      ...(param === undefined || start === undefined ? {} : { [param]: start }),
      ...(until === undefined || end === undefined ? {} : { [until]: end }),
    },
    placeholders: Object.entries(values).map(([name, value]) => ({
      name: `window.${name}`,
      value,
    })),
  }
}

/** Name of a job's progress, in the state. */
export const progressName = (plan: JobPlan, { iterationName }: JobContext): string =>
  `${stateName(plan)}${iterationName}`

/** Time zones and formats of a day make no row a stranger. */
const SLACK_MS = 86_400_000

/**
 * The items of a page without those from before the window, where the API is not asked to leave them out. Where it is asked,
 * all are kept, and rows that lie far outside are counted: then it does not know the parameter.
 */
export const itemsOfWindow = (run: JobRun, items: Json[], { statistics }: JobContext): Json[] => {
  const { plan, window } = run
  const settings = windowsOf(plan.job)
  if (settings === undefined || window === undefined) return items
  const sent = sentWindow(plan.job, settings)
  const counts = { dropped: 0, outside: 0, withoutTime: 0 }
  const kept = items.filter(item => {
    const moment = timeOf(item, settings)
    if (moment === undefined) counts.withoutTime++
    if (moment === undefined || window.start === undefined) return true
    if (!sent.start && moment < window.start) {
      counts.dropped++
      return false
    }
    const isEarly = moment < window.start - SLACK_MS
    const isLate = sent.end && moment > window.end + SLACK_MS
    if (isEarly || isLate) counts.outside++
    return true
  })
  statistics.windowed(plan, counts)
  return counts.dropped === 0 ? items : kept
}

const timeOf = (item: Json, { cursor, format }: WindowSettings): number | undefined => {
  const value = valueAt(cursor, item)
  return value === undefined || value === null ? undefined : readMoment(value, format)
}

/** Whether nothing more of a part is to be asked for. */
export const isBroken = (
  plan: JobPlan,
  window: Pick<RunWindow, 'part'> | undefined,
  context: JobContext,
): boolean => window !== undefined && context.windows.isBroken(progressName(plan, context), window.part)

/** A window that a limit of the configuration or an error rule ended: it is read again from its start in the next run. */
export const breakWindow = ({ plan, window }: JobRun, reason: string, context: JobContext): void => {
  if (window === undefined) return
  context.windows.breakOff(progressName(plan, context), window.part)
  const of = window.part === '' ? '' : ` of ${window.part}`
  const from =
    window.start === undefined ? 'The first window' : `The window from ${String(formatMoment(window.start))}`
  const message = `${from}${of} of job '${plan.job.endpoint}' is not read to its end (${reason.replace(/\.$/, '')}): the next run begins with it again.`
  context.statistics.windowCut(plan, message)
}

/**
 * A run below windows was cut: rows in them lack some of their children, and a window that counts as read would never give these rows again.
 *
 * @param ends behind the run in its sequence; of each job above, the first is that of the window with the run
 */
export const breakWindowsAbove = (
  { plan, cut = '', request }: JobRun,
  ends: readonly WindowEnd[],
  context: JobContext,
): void => {
  const above = new Map<JobPlan, WindowEnd>()
  for (const end of ends)
    if (plan.path.startsWith(`${end.plan.path}.`) && !above.has(end.plan)) above.set(end.plan, end)
  for (const end of above.values()) {
    if (isBroken(end.plan, end, context)) continue
    dropWindow(end, context)
    const to = String(formatMoment(end.end))
    const of = end.part === '' ? '' : ` of ${end.part}`
    const below = request.endpoint ?? plan.job.endpoint
    const message = `The window to ${to}${of} of job '${end.plan.job.endpoint}' is not read to its end ('${below}' below it: ${cut.replace(/\.$/, '')}): the next run begins with it again.`
    context.statistics.windowCut(end.plan, message)
  }
}

/** A part of a window is dropped, because a limit of the run was reached. */
export const dropWindow = ({ plan, part }: WindowEnd, context: JobContext): void =>
  context.windows.breakOff(progressName(plan, context), part)

/** Says that a window is read, once its rows are written. Decided when the sequence gets there, not when they are. */
export const endWindow = ({ plan, part, end }: WindowEnd, context: JobContext): (() => void) => {
  const { windows, statistics, maxRows } = context
  const isStopped = [...allPlans([plan])].some(one => statistics.isStopped(one))
  if (maxRows !== undefined || isStopped || isBroken(plan, { part }, context)) return () => {}
  return () => {
    windows.finish(progressName(plan, context), part, end)
    statistics.windowed(plan, { finished: 1 })
  }
}
/** `window` of expressions: the ends as requests have them. */
export const windowContext = (job: Job, window: Window | undefined): { window?: Json } => {
  const sent = windowValues(job, window)
  return sent === undefined ? {} : { window: sent.values }
}
