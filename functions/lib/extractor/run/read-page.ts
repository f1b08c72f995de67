import type { Json } from '../../json/json-value.ts'
import { type Page, STUCK } from '../paging/paginator.ts'
import { volumeOf } from '../paging/stop-rules.ts'
import { type FetchedPage, fingerprint, isSamePage } from '../requests/http/fetched-page.ts'
import type { PageEnd } from '../requests/http/parse-response.ts'
import type { JobContext } from './job-context.ts'
import type { JobRun, PageResult, PageWork, PendingPage } from './job-run.ts'
import {
  digestOf,
  dropItems,
  isFirstPart,
  itemsOfPage,
  nextItems,
  watchedPage,
  withoutNothing,
  withoutNul,
} from './page-items.ts'
import { STOPPED_BY_RULE } from './run-statistics.ts'
import { pendingChildren, startRun } from './start-run.ts'
import { stepAfter } from './steps.ts'
import { checkTotal, hasAll, isWatched, nameOf, type RunEnd, tellSilence, watchPage } from './watch-run.ts'

/** Takes the items from a fetched page and works out what follows it. Sends nothing, writes nothing. */
export const readPage = (work: PageWork, fetched: FetchedPage, context: JobContext): PageResult => {
  const { run } = work
  const { plan, progress } = run
  if (fetched.ends !== undefined) return withoutRows(endRun(run, BY_RULE[fetched.ends], context))
  if (isFirstPart(fetched)) {
    const digest = digestOf(fetched)
    // The server repeats itself: drop the page and end the job (docs/reference/extractor-pagination.md#pagination)
    if (repeats(work, fetched, digest)) return withoutRows(endRun(run, REPEATED, context))
    // What is no JSON fails before it counts as a page; a page that is written forgets its response
    const { isParsed, body, response } = fetched
    run.last = digest ?? { isParsed, body, response }
    context.statistics.page(plan)
    progress.pages++
    if (run.paginator.countsVolume) progress.volume += fetched.items?.file.bytes ?? volumeOf(fetched.response)
  }
  return rowsOf(work, fetched, context)
}

const rowsOf = (work: PageWork, fetched: FetchedPage, context: JobContext): PageResult => {
  const { run } = work
  const { plan } = run
  const found = nextItems(work, fetched, context)
  if (found.warning !== undefined) context.log.warning(found.warning)
  const ofPage = plan.filterItems?.(found.items) ?? found.items
  const rows = context.isCompat
    ? ofPage
    : textRows(withoutNothing(ofPage), work, found.source?.body ?? fetched.body, context)
  context.statistics.note(plan, 'nothing', '', ofPage.length - rows.length)
  const items = limited(rows, run, context)
  context.marks.note(plan, items, context.statistics)
  context.statistics.rows(plan, items.length)
  run.progress.items += ofPage.length
  const children = pendingChildren(run, items, context)
  const next =
    found.rest === undefined ? endPage(work, fetched, ofPage, context) : { ...work, fetched: found.rest }
  return {
    items,
    source: items === found.items ? found.source : undefined,
    next: next === undefined ? children : [...children, next],
  }
}

/** The rows with texts that tables can hold. */
const textRows = (rows: Json[], { run }: PageWork, body: Uint8Array, context: JobContext): Json[] =>
  // Of what holds one the bytes say so; few do.
  Buffer.from(body.buffer, body.byteOffset, body.length).includes('\\u0000')
    ? withoutNul(rows, (row, path) =>
        context.statistics.note(run.plan, 'nul', `'${path}' of row ${run.progress.items + row + 1}`),
      )
    : rows

const withoutRows = (next: PendingPage | undefined): PageResult => ({
  items: [],
  source: undefined,
  next: next === undefined ? [] : [next],
})

/** What follows the last part of a page. */
const endPage = (
  work: PageWork,
  fetched: FetchedPage,
  last: readonly Json[],
  context: JobContext,
): PendingPage | undefined => {
  const { response, headers, url } = fetched
  const seen = isWatched(work.run, context) ? watchedPage(work, fetched) : undefined
  const items = itemsOfPage(work, fetched, last, context)
  const next = nextPage(work, { response, items, headers, url }, seen, context)
  dropItems(fetched, context)
  return next
}

/** Whether it is the page before again: the same values, and where headers name the next request, it is the one that brought them. */
const repeats = ({ run, request }: PageWork, page: FetchedPage, digest: string | undefined): boolean => {
  if (!hasSameValues(run, page, digest)) return false
  const { paginator } = run
  if (paginator.toldByHeader !== true) return true
  const { headers, url } = page
  return paginator.next({ response: null, items: [], headers, url }, request)?.endpoint === request.endpoint
}

const hasSameValues = ({ last }: JobRun, page: FetchedPage, digest: string | undefined): boolean => {
  if (typeof last === 'object') return digest === undefined && isSamePage(last, page)
  return last !== undefined && last === (digest ?? fingerprint(page.response))
}

const limited = (items: Json[], run: JobRun, context: JobContext): Json[] => {
  if (context.maxRows === undefined) return items
  const left = Math.max(0, context.maxRows - context.statistics.rowsOf(run.plan))
  return items.length > left ? items.slice(0, left) : items
}

/** @param seen the page as it came, for the watch of new runs */
const nextPage = (
  { run, request }: PageWork,
  page: Page,
  seen: ReturnType<typeof watchedPage> | undefined,
  context: JobContext,
): PendingPage | undefined => {
  const { paginator } = run
  watchPage(run, request, seen)
  const { missing } = seen ?? {}
  const stopped = endByConfiguration({ run, request }, page, context)
  if (stopped !== undefined) return endRun(run, { missing, ...stopped }, context)
  const next = paginator.next(page, request)
  const isSame = next !== undefined && paginator.toldBy === 'items' && run.watch?.hasAsked(next) === true
  if (next === undefined || isSame) {
    const reason = isSame ? STUCK : paginator.ended
    const stuck = isSame ? STUCK : paginator.stuck?.(page, request)
    return endRun(run, { reason, stuck, missing }, context)
  }
  run.watch?.asks(nameOf(run), next, run.progress.pages)
  return { run, request: next }
}

const BY_RULE: Readonly<Record<PageEnd, RunEnd>> = {
  job: { reason: STOPPED_BY_RULE, cut: STOPPED_BY_RULE, isWanted: true },
  run: { reason: 'an error rule ignored the response', isWanted: true },
}
const REPEATED: RunEnd = { reason: 'the response matched the previous one', isRepeated: true }

const endByConfiguration = (
  { run, request }: PageWork,
  page: Page,
  { maxRows, statistics, now }: JobContext,
): RunEnd | undefined => {
  const { plan, paginator, progress } = run
  if (maxRows !== undefined && statistics.rowsOf(plan) >= maxRows)
    return { reason: 'the preview is full', isWanted: true }
  const stop = paginator.stop(page, progress, now())
  if (stop?.isCut !== true) return stop && { reason: stop.reason }
  const isAll = hasAll(run) || paginator.isLast(page, request, progress)
  return { reason: stop.reason, isWanted: true, ...(isAll ? {} : { cut: stop.reason }) }
}

/** After its last page: the end of a run, or the first page of its next step. */
const endRun = (run: JobRun, end: RunEnd, context: JobContext): PendingPage | undefined => {
  const { plan, placeholders, rows } = run
  const { reason, cut } = end
  context.log.debug(
    end.isRepeated
      ? `Job '${plan.job.endpoint}' finished when last response matched the previous!`
      : `Job '${plan.job.endpoint}' finished: ${reason}.`,
  )
  tellSilence(run, end, context)
  checkTotal(run, cut, context)
  context.statistics.ended(plan, reason)
  const step = cut === undefined ? stepAfter(plan, run.step, context) : undefined
  if (step === undefined) return undefined
  context.statistics.started(plan)
  const next = startRun(plan, placeholders, rows, context, step)
  return { run: next, request: next.paginator.first }
}
