import { UserError } from '../../errors/errors.ts'
import { isContainer, isObject, type Json } from '../../json/json-value.ts'
import { completenessOf } from '../config/job-schema.ts'
import {
  judgeEnd,
  judgeTotal,
  type RunEnding,
  RunWatch,
  type TotalPlace,
  totalOf,
  usualPlaces,
  type WatchedPage,
} from '../paging/completeness.ts'
import type { PageRequest } from '../requests/http/page-request.ts'
import type { FetchedPage } from '../requests/http/parse-response.ts'
import { findItems } from '../values/select/find-items.ts'
import type { Iteration } from './prepare-iteration.ts'
import type { JobRun, PendingPage } from './start-run.ts'

export const nameOf = ({ plan, request }: JobRun): string => request.endpoint ?? plan.job.endpoint

/** Whether the pages of a run are looked at. A preview reads no more than the first rows. */
export const isWatched = ({ plan }: JobRun, { silence, options: { maxRows } }: Iteration): boolean =>
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
  plan.job.completeness !== undefined &&
  watch !== undefined &&
  watch.seen.lastTotal?.total === watch.seen.rows

/** How a run ended. */
export interface RunEnd extends Omit<RunEnding, 'knowsTotal'> {
  reason: string
  /** The configuration wanted it, whatever the answers say. */
  isWanted?: boolean
  /** Why not all of it was asked for. */
  cut?: string
}

/**
 * Says it when a run of a job ends although the answers say that there is more, and what a run of a job with `completeness` lacks.
 *
 * @throws UserError `extractor.job.silent`, `extractor.job.incomplete` where that fails the run
 */
export const tellEnd = (run: JobRun, end: RunEnd, iteration: Iteration): void => {
  const { plan, watch } = run
  if (watch === undefined) return
  const silence = iteration.silence && (plan.job.silence ?? iteration.silence)
  const say = (message: string): void => {
    if (iteration.statistics.said(plan, message)) iteration.log.warning(message)
  }
  if (end.isWanted !== true && silence !== undefined && silence !== 'allow') {
    const found = silencesOf(run, watch, end)
    const message = `Job '${nameOf(run)}' ended after page ${run.progress.pages} because ${end.reason}, but ${found.join('; ')}.`
    if (found.length > 0 && silence === 'fail')
      throw new UserError('extractor.job.silent', `${message} ("silence": "fail")`)
    if (found.length > 0) say(message)
  }
  const { completeness } = plan.job
  if (completeness === undefined) return
  // Of what was not asked for in whole the rows are not compared
  const findings = end.cut === undefined ? judgeTotal(watch.seen) : []
  if (findings.length > 0 && completenessOf(completeness).mode === 'fail')
    throw new UserError(
      'extractor.job.incomplete',
      `Job '${nameOf(run)}' did not get all rows: ${findings.join('; ')}.`,
      { params: { findings } },
    )
  const lacks = end.cut === undefined ? findings : [`not checked: ${end.cut.replace(/\.$/, '')}`]
  if (lacks.length > 0) say(`Completeness of job '${nameOf(run)}': ${lacks.join('; ')}.`)
}

/** What the answers say against the end of a run. */
const silencesOf = ({ plan, paginator }: JobRun, watch: RunWatch, end: RunEnd): string[] => {
  const { leavesNext, toldBy } = paginator
  const { seen, more } = watch
  const { count } = seen
  return judgeEnd(
    {
      missing: end.missing,
      // A page that comes again without rows is the last one of many APIs
      isRepeated: end.isRepeated === true && count > 0,
      // An API that gives the last item again has given all
      stuck: toldBy === 'items' && count <= 1 ? undefined : end.stuck,
      knowsTotal: plan.job.completeness !== undefined,
    },
    seen,
    leavesNext === true ? undefined : more,
  )
}

/** The items of a page that is no file of them. */
export const listOf = ({ run }: PendingPage, { response }: FetchedPage) =>
  findItems(response, run.plan.job, nameOf(run))

/** A page as it is watched, and what its response has when it has nothing where its rows should be. */
export const watchedPage = (
  work: PendingPage,
  fetched: FetchedPage,
): { watched: WatchedPage; missing: RunEnding['missing'] } => {
  const { headers, response, items: file } = fetched
  if (file !== undefined) {
    const watched = { count: file.items, items: file.digest, headers, beside: response }
    return { watched, missing: undefined }
  }
  const { paginator, plan } = work.run
  const { items, isMissing } = listOf(work, fetched)
  const { length: count } = items
  const keys = isMissing === true && isObject(response) ? Object.keys(response) : []
  const { dataField } = plan.job
  const path = typeof dataField === 'object' ? dataField.path : dataField
  const saysNone = totalOf(response, headers) === 0
  return {
    watched: {
      count,
      items: count === 0 || paginator.toldBy === 'nothing' ? '' : textOfItems(fetched, items),
      headers,
      beside: response,
      rows: items,
      isNothing: paginator.toldBy === 'answer' && !fetched.isParsed && fetched.body.length === 0,
    },
    missing: keys.length > 0 && !saysNone ? { path: path ? `"${path}"` : 'any key', keys } : undefined,
  }
}

/** What is the same for the same items: a piece of the body where that is certain to hold nothing beside them but its brackets. */
const textOfItems = (
  { isParsed, body, response }: FetchedPage,
  items: readonly Json[],
): string | Uint8Array => {
  const isAlone =
    response === items ||
    (isObject(response) && Object.values(response).every(value => value === items || !isContainer(value)))
  return isParsed && isAlone
    ? body.subarray(body.indexOf('['), body.lastIndexOf(']') + 1)
    : JSON.stringify(items)
}
