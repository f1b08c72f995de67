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
import { checkTotal, hasAll, isWatched, nameOf, tellSilence, watchPage } from './watch-run.ts'

/** Takes the items from a fetched page and works out what follows it. Sends nothing, writes nothing. */
export const readPage = (work: PageWork, fetched: FetchedPage, context: JobContext): PageResult => {
  const { run } = work
  void fetched.response // what is no JSON fails before it counts as a page
  const { plan, progress } = run
  if (fetched.ends !== undefined) return endByRule(run, fetched.ends, context)
  if (isFirstPart(fetched)) {
    if (repeats(work, fetched)) {
      // The server repeats itself: drop the page and end the job
      // (docs/reference/extractor-pagination.md#pagination)
      context.log.debug(`Job '${plan.job.endpoint}' finished when last response matched the previous!`)
      tellSilence(run, { reason: 'the response matched the previous one', isRepeated: true }, context)
      return withoutRows(endRun(run, { reason: 'the response matched the previous one' }, context))
    }
    run.lastFingerprint = digestOf(fetched)
    run.lastPage =
      run.lastFingerprint === undefined
        ? { isParsed: fetched.isParsed, body: fetched.body, response: fetched.response }
        : undefined
    context.statistics.page(plan)
    progress.pages++
    if (run.paginator.countsVolume) progress.volume += fetched.items?.file.bytes ?? volumeOf(fetched.response)
  }
  const end = (items: readonly Json[]) =>
    endPage(work, fetched, itemsOfPage(work, fetched, items, context), context)
  return rowsOf(work, fetched, context, end)
}

/** @param end what follows the last part of the page */
const rowsOf = (
  work: PageWork,
  fetched: FetchedPage,
  context: JobContext,
  end: (items: readonly Json[]) => PendingPage | undefined,
): PageResult => {
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
  const next = found.rest === undefined ? end(ofPage) : { ...work, fetched: found.rest }
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

const endPage = (
  work: PageWork,
  fetched: FetchedPage,
  items: Page['items'],
  context: JobContext,
): PendingPage | undefined => {
  const { response, headers, url } = fetched
  const seen = isWatched(work.run, context) ? watchedPage(work, fetched) : undefined
  const next = nextPage(work, { response, items, headers, url }, seen, context)
  dropItems(fetched, context)
  return next
}

/** A page that an error rule let pass: no items, and nothing after it. */
const endByRule = (run: JobRun, ends: PageEnd, context: JobContext): PageResult => {
  const end =
    ends === 'job'
      ? { reason: STOPPED_BY_RULE, cut: STOPPED_BY_RULE }
      : { reason: 'an error rule ignored the response' }
  return withoutRows(endRun(run, end, context))
}

/** Whether it is the page before again: the same values, and where headers name the next request, it is the one that brought them. */
const repeats = ({ run, request }: PageWork, page: FetchedPage): boolean => {
  if (!hasSameValues(run, page)) return false
  const { paginator } = run
  if (paginator.toldByHeader !== true) return true
  const { headers, url } = page
  return paginator.next({ response: null, items: [], headers, url }, request)?.endpoint === request.endpoint
}

const hasSameValues = (run: JobRun, page: FetchedPage): boolean => {
  const digest = digestOf(page)
  if (digest !== undefined) return run.lastFingerprint === digest
  if (run.lastPage !== undefined) return isSamePage(run.lastPage, page)
  return run.lastFingerprint !== undefined && run.lastFingerprint === fingerprint(page.response)
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
  const { plan, paginator, progress } = run
  const isPreviewed = context.maxRows !== undefined && context.statistics.rowsOf(plan) >= context.maxRows
  const stop = isPreviewed ? undefined : paginator.stop(page, progress, context.now())
  const reason = isPreviewed ? 'the preview is full' : stop?.reason
  watchPage(run, request, seen, context)
  const following = reason === undefined ? paginator.next(page, request) : undefined
  const isSame =
    following !== undefined && paginator.toldBy === 'items' && run.watch?.hasAsked(following) === true
  const next = isSame ? undefined : following
  if (next !== undefined) {
    run.watch?.asks(nameOf(run), next, progress.pages)
    return { run, request: next }
  }
  const stuck = isSame ? STUCK : reason === undefined ? paginator.stuck?.(page, request) : undefined
  const isCut = stop?.isCut === true && !hasAll(run) && !paginator.isLast(page, request, progress)
  const end = { reason: reason ?? (isSame ? STUCK : paginator.ended), cut: isCut ? stop.reason : undefined }
  context.log.debug(`Job '${plan.job.endpoint}' finished: ${end.reason}.`)
  if (!isPreviewed && stop?.isCut !== true)
    tellSilence(run, { reason: end.reason, stuck, missing: seen?.missing }, context)
  return endRun(run, end, context)
}

interface RunEnd {
  reason: string
  /** Why not all of it was asked for. */
  cut?: string | undefined
}

/** A page of the run is not asked for: what it has read counts. */
export const cutRun = (run: JobRun, reason: string, context: JobContext): PendingPage | undefined =>
  endRun(run, { reason, cut: reason }, context)

/** After its last page: the end of a run, or the first page of its next step. */
const endRun = (run: JobRun, { reason, cut }: RunEnd, context: JobContext): PendingPage | undefined => {
  const { plan, placeholders, rows } = run
  checkTotal(run, cut, context)
  context.statistics.ended(plan, reason)
  const step = cut === undefined ? stepAfter(plan, run.step, context) : undefined
  if (step === undefined) return undefined
  context.statistics.started(plan)
  const next = startRun(plan, placeholders, rows, context, step)
  return { run: next, request: next.paginator.first }
}
