import { UserError } from '../../errors/errors.ts'
import { isContainer, isObject, type Json } from '../../json/json-value.ts'
import { completenessOf } from '../config/job-schema.ts'
import { RunWatch, type TotalPlace, totalOf, usualPlaces, type WatchedPage } from '../paging/completeness.ts'
import type { FetchedPage } from '../requests/http/parse-response.ts'
import { findItems } from '../values/select/find-items.ts'
import type { Iteration } from './prepare-iteration.ts'
import type { JobRun, PendingPage } from './start-run.ts'

export const nameOf = ({ plan, request }: JobRun): string => request.endpoint ?? plan.job.endpoint

/**
 * Looks at a page as it came, where its run is watched. A preview reads no more than the first rows.
 *
 * @throws UserError `extractor.pagination.endless`
 */
export const watchPage = (
  work: PendingPage,
  fetched: FetchedPage,
  { silence, options: { maxRows } }: Iteration,
): void => {
  const { run, request } = work
  if (maxRows !== undefined || (silence === undefined && run.plan.job.completeness === undefined)) return
  if (run.watch === undefined) {
    run.watch = new RunWatch()
    run.watch.asks(nameOf(run), request, 0)
  }
  run.watch.page(nameOf(run), watchedPage(work, fetched), totalPlaces(run))
}

const totalPlaces = ({ plan, paginator }: JobRun): readonly TotalPlace[] => {
  const { completeness } = plan.job
  const total = completeness === undefined ? undefined : completenessOf(completeness).total
  if (total !== undefined) return [total]
  return paginator.limitField === undefined ? usualPlaces : [...usualPlaces, paginator.limitField]
}

/** How a run ended. */
export interface RunEnd {
  reason: string
  /** Why there is no next page although nothing says that this was the last. */
  stuck?: string | undefined
  /** The last page equals the one before. */
  isRepeated?: boolean
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
    const { toldBy, leavesNext = false } = run.paginator
    const { stuck, isRepeated } = end
    const found = watch.against({
      // An API that gives the last item again has given all
      stuck: toldBy === 'items' && watch.seen.count <= 1 ? undefined : stuck,
      isRepeated,
      knowsTotal: plan.job.completeness !== undefined,
      leavesNext,
    })
    const message = `Job '${nameOf(run)}' ended after page ${run.progress.pages} because ${end.reason}, but ${found.join('; ')}.`
    if (found.length > 0 && silence === 'fail')
      throw new UserError('extractor.job.silent', `${message} ("silence": "fail")`)
    if (found.length > 0) say(message)
  }
  const { completeness } = plan.job
  if (completeness === undefined) return
  // Of what was not asked for in whole the rows are not compared
  const findings = end.cut === undefined ? watch.lacks() : []
  if (findings.length > 0 && completenessOf(completeness).mode === 'fail')
    throw new UserError(
      'extractor.job.incomplete',
      `Job '${nameOf(run)}' did not get all rows: ${findings.join('; ')}.`,
      { params: { findings } },
    )
  const lacks = end.cut === undefined ? findings : [`not checked: ${end.cut.replace(/\.$/, '')}`]
  if (lacks.length > 0) say(`Completeness of job '${nameOf(run)}': ${lacks.join('; ')}.`)
}

/** The items of a page that is no file of them. */
export const listOf = ({ run }: PendingPage, { response }: FetchedPage) =>
  findItems(response, run.plan.job, nameOf(run))

const watchedPage = (work: PendingPage, fetched: FetchedPage): WatchedPage => {
  const { headers, response, items: file } = fetched
  if (file !== undefined) return { count: file.items, items: file.digest, headers, beside: response }
  const { paginator, plan } = work.run
  const { items, isMissing } = listOf(work, fetched)
  const { length: count } = items
  const keys = isMissing === true && isObject(response) ? Object.keys(response) : []
  const { dataField } = plan.job
  const path = typeof dataField === 'object' ? dataField.path : dataField
  const saysNone = totalOf(response, headers) === 0
  return {
    count,
    items: count === 0 || paginator.toldBy === 'nothing' ? '' : textOfItems(fetched, items),
    headers,
    beside: response,
    rows: items,
    isNothing: paginator.toldBy === 'answer' && !fetched.isParsed && fetched.body.length === 0,
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
