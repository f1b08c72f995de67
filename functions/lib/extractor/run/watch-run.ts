import { UserError } from '../../errors/errors.ts'
import { completenessOf, type Silence } from '../config/job-schema.ts'
import {
  judgeEnd,
  judgeTotal,
  type RunEnding,
  RunWatch,
  type TotalPlace,
  usualPlaces,
  type WatchedPage,
} from '../paging/completeness.ts'
import type { PageRequest } from '../requests/http/page-request.ts'
import type { JobContext } from './job-context.ts'
import type { JobPlan } from './job-plan.ts'
import type { JobRun } from './job-run.ts'

export const nameOf = ({ plan, request }: JobRun): string => request.endpoint ?? plan.job.endpoint

/** Whether the pages of a run are looked at. A preview reads no more than the first rows. */
export const isWatched = ({ plan }: JobRun, { silence, maxRows }: JobContext): boolean =>
  maxRows === undefined && (silence !== undefined || plan.job.completeness !== undefined)

/** @throws UserError `extractor.pagination.endless` */
export const watchPage = (
  run: JobRun,
  request: PageRequest,
  seen: { watched: WatchedPage } | undefined,
): void => {
  if (seen === undefined) return
  if (run.watch === undefined) {
    run.watch = new RunWatch()
    run.watch.asks(nameOf(run), request, 0)
  }
  run.watch.page(nameOf(run), seen.watched, totalPlaces(run))
}

const totalPlaces = ({ plan, paginator }: JobRun): readonly TotalPlace[] => {
  const { completeness } = plan.job
  const total = completeness === undefined ? undefined : completenessOf(completeness).total
  if (total !== undefined) return [total]
  return paginator.limitField === undefined ? usualPlaces : [...usualPlaces, paginator.limitField]
}

/** Whether the API said a total, and so many rows came. */
export const hasAll = ({ plan, watch }: JobRun): boolean =>
  plan.job.completeness !== undefined && watch?.total !== undefined && watch.total === watch.rows

/**
 * Says what a run of a job with `completeness` lacks when it has ended.
 *
 * @param cut why not all of it was asked for, such as a limit of pages: its rows are not compared then
 * @throws UserError `extractor.job.incomplete` when it must be complete and is not
 */
export const checkTotal = (run: JobRun, cut: string | undefined, { statistics, log }: JobContext): void => {
  const { plan, watch } = run
  const { completeness } = plan.job
  if (watch === undefined || completeness === undefined) return
  const findings = cut === undefined ? judgeTotal(watch) : []
  if (findings.length > 0 && completenessOf(completeness).mode === 'fail')
    throw new UserError(
      'extractor.job.incomplete',
      `Job '${nameOf(run)}' did not get all rows: ${findings.join('; ')}.`,
      { params: { findings } },
    )
  const said = cut === undefined ? findings : [`not checked: ${cut.replace(/\.$/, '')}`]
  const message = said.length === 0 ? undefined : `Completeness of job '${nameOf(run)}': ${said.join('; ')}.`
  if (message !== undefined) log.warning(message)
  const outcome = findings.length > 0 ? 'incomplete' : cut === undefined ? 'complete' : 'notChecked'
  statistics.checked(plan, { outcome, message })
}

/** How a run ended. */
export interface RunEnd extends Omit<RunEnding, 'knowsTotal'> {
  reason: string
  /** The configuration wanted it, whatever the answers say. */
  isWanted?: boolean
  /** Why not all of it was asked for. */
  cut?: string
}

/**
 * Says it when a run of a job ends although the answers say that there is more.
 *
 * @throws UserError `extractor.job.silent` where that fails the run
 */
export const tellSilence = (run: JobRun, end: RunEnd, context: JobContext): void => {
  const { plan, watch, progress } = run
  const { silence } = context
  if (end.isWanted || watch === undefined || silence === undefined) return
  // A page that comes again without rows is the last one of many APIs
  const { leavesNext, toldBy } = run.paginator
  const { rows, count, total, more, error } = watch
  const found = judgeEnd(
    {
      missing: end.missing,
      isRepeated: end.isRepeated === true && count > 0,
      // An API that gives the last item again has given all
      stuck: toldBy === 'items' && count <= 1 ? undefined : end.stuck,
      knowsTotal: plan.job.completeness !== undefined,
    },
    { rows, count, total, more: leavesNext === true ? undefined : more, error },
  )
  if (found.length === 0) return
  const message = `Job '${nameOf(run)}' ended after page ${progress.pages} because ${end.reason}, but ${found.join('; ')}.`
  sayAs(plan.job.silence ?? silence, plan, message, context)
}

/** @throws UserError `extractor.job.silent` */
export const sayAs = (
  mode: Silence,
  plan: JobPlan,
  message: string,
  { statistics, log }: JobContext,
): void => {
  if (mode === 'allow') return
  if (mode === 'fail') throw new UserError('extractor.job.silent', `${message} ("silence": "fail")`)
  if (statistics.silent(plan, message)) log.warning(message)
}
