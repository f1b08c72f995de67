import { windowsOf } from '../config/incremental-schema.ts'
import { sentWindow } from '../config/sent-window.ts'
import { type Window, windowAt } from '../paging/windows/windows.ts'
import type { PageRequest } from '../requests/http/page-request.ts'
import { formatMoment } from '../values/functions/moments.ts'
import type { JobContext } from './job-context.ts'
import type { JobPlan } from './job-plan.ts'
import { isPage, type JobRun } from './job-run.ts'
import { expandWindows, startJob } from './start-job.ts'

interface First {
  run: JobRun
  request: PageRequest
  /** Combinations of the lists of the job; 1 without any. */
  sets: number
  /** Of a job with windows: all of them together, and how many there are. */
  windows?: { whole: Window; count: number } | undefined
}

/** The first run of a job; `undefined` when its windows have all been read. */
export const firstRun = (plan: JobPlan, context: JobContext): First | undefined => {
  const all = startJob(plan, [], [], context)
  const [pending] = all
  const sets = all.length
  if (pending === undefined || isPage(pending))
    return pending && { run: pending.run, request: pending.request, sets }
  if (!('whole' in pending)) return undefined
  const {
    pages: [page],
  } = expandWindows(pending, 1, context)
  const settings = windowsOf(plan.job)
  if (settings === undefined || page === undefined || !isPage(page)) return undefined
  let count = 1
  while (windowAt(pending.whole, count, settings) !== undefined) count++
  return { run: page.run, request: page.request, sets, windows: { whole: pending.whole, count } }
}

export const describeWindows = (plan: JobPlan, { windows }: First): string[] => {
  const settings = windowsOf(plan.job)
  if (settings === undefined || windows === undefined) return []
  const { whole, count } = windows
  const from = whole.start === undefined ? 'the first row' : String(formatMoment(whole.start))
  const of = settings.step === undefined ? '' : ` of ${settings.step}`
  const isFiltered = !sentWindow(plan.job, settings).start
  return [
    `  windows: ${count}${of}, from ${from} up to ${String(formatMoment(whole.end))}`,
    ...(isFiltered ? [`  rows from before are dropped, by ${settings.cursor}`] : []),
  ]
}

export const describeChildWindows = ({ job }: JobPlan): string[] => {
  const settings = windowsOf(job)
  if (settings === undefined) return []
  const { step, param, until } = settings
  const sent = [param, until].filter(name => name !== undefined).map(name => `  param ${name}: (incremental)`)
  return [`  windows${step === undefined ? '' : ` of ${step}`}, for each parent row`, ...sent]
}
