import { isObject, type Json, mapFields } from '../../json/json-value.ts'
import { type Page, STUCK, volumeOf } from '../paging/paginator.ts'
import { readAllItems, readPart, removeItems } from '../requests/answers/item-file.ts'
import { type FetchedPage, fingerprint, isSamePage, type PageEnd } from '../requests/http/parse-response.ts'
import type { AddOptions } from '../tables/table-sink.ts'
import { stepAfter } from './incremental.ts'
import type { Iteration } from './prepare-iteration.ts'
import { STOPPED_BY_RULE } from './run-statistics.ts'
import { type JobRun, type Pending, type PendingPage, pendingChildren, startRun } from './start-run.ts'
import { listOf, nameOf, type RunEnd, tellEnd, watchPage } from './watch-run.ts'

/** Of a list in memory: rows of it for some seconds. A longer one is read in parts, so that a stop may come in between. */
const LIST_ITEMS = 100_000

/** What a page leads to. */
export interface PageResult {
  /** Rows to write. */
  items: readonly Json[]
  /** Where the items are in the response, for the sink. */
  source: AddOptions['source']
  /** What to do next, in this order: the children of the rows, then the rest of the page or the next one. */
  next: Pending[]
}

/** Takes the items, or the next part of them, from a page that came, and works out what follows. Sends nothing, writes nothing. */
export const readPage = (work: PendingPage, fetched: FetchedPage, iteration: Iteration): PageResult => {
  const { run } = work
  const { plan, progress } = run
  if (fetched.ends !== undefined) return withoutRows(endRun(run, BY_RULE[fetched.ends], iteration))
  if (fetched.at === 0) {
    const digest = digestOf(fetched)
    // The server repeats itself: drop the page and end the job (docs/reference/extractor-pagination.md#pagination)
    if (repeats(work, fetched, digest)) return withoutRows(endRun(run, REPEATED, iteration))
    // What is no JSON fails before it counts as a page; a page that is written forgets its response
    const { isParsed, body, response } = fetched
    run.last = digest ?? { isParsed, body, response }
    iteration.statistics.of(plan).pages++
    progress.pages++
    if (run.paginator.countsVolume) progress.volume += fetched.items?.bytes ?? volumeOf(fetched.response)
  }
  return rowsOf(work, fetched, iteration)
}

const withoutRows = (next: PendingPage | undefined): PageResult => ({
  items: [],
  source: undefined,
  next: next === undefined ? [] : [next],
})

const rowsOf = (work: PendingPage, fetched: FetchedPage, iteration: Iteration): PageResult => {
  const { run } = work
  const { plan } = run
  const { parsed, statistics, marks } = iteration
  const part = nextPart(work, fetched, iteration)
  if (part.warning !== undefined) iteration.log.warning(part.warning)
  const ofPage = plan.filterItems?.(part.items) ?? part.items
  const rows = parsed.compat
    ? ofPage
    : textRows(withoutNothing(ofPage), work, part.source?.body ?? fetched.body, iteration)
  statistics.note(plan, 'nothing', '', ofPage.length - rows.length)
  const room = iteration.roomOf(plan)
  const items = rows.length > room ? rows.slice(0, room) : rows
  marks.note(plan, items, statistics)
  statistics.of(plan).rows += items.length
  run.progress.items += ofPage.length
  const children = pendingChildren(run, items, iteration)
  fetched.at = part.next ?? fetched.at
  const next = part.next === undefined ? endPage(work, fetched, ofPage, iteration) : work
  return {
    items,
    source: items === part.items ? part.source : undefined,
    next: next === undefined ? children : [...children, next],
  }
}

/** Items of a page that go to the tables at once. */
interface Part {
  items: Json[]
  warning?: string | undefined
  /** Where they are in bytes that hold nothing else of importance; absent when there are none such. */
  source?: AddOptions['source']
  /** Where the part behind it begins, if there is one. */
  next?: number | undefined
}

const nextPart = (work: PendingPage, fetched: FetchedPage, { spool }: Iteration): Part => {
  const { items: file, at } = fetched
  if (file !== undefined) {
    const { items, body, next } = readPart(spool.items, file, at) ?? { items: [], next: file.bytes }
    return {
      items,
      source: body && { body, path: [] },
      next: next < file.bytes ? next : undefined,
    }
  }
  const { items, warning, path } = listOf(work, fetched)
  const next = at + LIST_ITEMS
  if (items.length > LIST_ITEMS)
    return { items: items.slice(at, next), next: next < items.length ? next : undefined }
  const source = fetched.isParsed && path !== undefined ? { body: fetched.body, path } : undefined
  return { items, warning, source }
}

/** The items that are rows: null is none, nor is an object without fields. The list itself when all are. */
const withoutNothing = (items: Json[]): Json[] =>
  items.some(isNothing) ? items.filter(item => !isNothing(item)) : items

const isNothing = (item: Json): boolean => item === null || (isObject(item) && hasNoKeys(item))

/** Without a list of them: each item of each page is looked at. */
const hasNoKeys = (item: object): boolean => {
  for (const _ in item) return false
  return true
}

/** The rows with texts that tables can hold: without the character NUL. */
const textRows = (
  rows: Json[],
  { run }: PendingPage,
  body: Uint8Array,
  { statistics }: Iteration,
): Json[] => {
  // Of what holds one the bytes say so; few do.
  if (!Buffer.from(body.buffer, body.byteOffset, body.length).includes('\\u0000')) return rows
  const cleaned = (value: Json, place: string, row: number): Json => {
    if (typeof value === 'string') {
      if (!value.includes('\0')) return value
      statistics.note(run.plan, 'nul', `'${place}' of row ${run.progress.items + row + 1}`)
      return value.replaceAll('\0', '')
    }
    const inside = (part: unknown, key: string | number): Json =>
      cleaned(part as Json, place === '' ? `${key}` : `${place}.${key}`, row) // a part of JSON is JSON
    if (Array.isArray(value)) return value.map(inside)
    return isObject(value) ? mapFields(value, inside) : value
  }
  return rows.map((value, row) => cleaned(value, '', row))
}

/** Whether it is the page before again: the same values, and where headers name the next request, it is the one that brought them. */
const repeats = ({ run, request }: PendingPage, page: FetchedPage, digest: string | undefined): boolean => {
  const { last, paginator } = run
  const isSame =
    typeof last === 'object'
      ? digest === undefined && isSamePage(last, page)
      : last !== undefined && last === (digest ?? fingerprint(page.response))
  if (!isSame || paginator.toldByHeader !== true) return isSame
  const { headers, url } = page
  return paginator.next({ response: null, items: [], headers, url }, request)?.endpoint === request.endpoint
}

/** What tells a page in a file from another. */
const digestOf = ({ items, response }: FetchedPage): string | undefined =>
  items === undefined ? undefined : `${items.digest} ${fingerprint(response)}`

/** What follows the last part of a page. */
const endPage = (
  work: PendingPage,
  fetched: FetchedPage,
  last: readonly Json[],
  iteration: Iteration,
): PendingPage | undefined => {
  const { response, headers, url } = fetched
  watchPage(work, fetched, iteration)
  const items = itemsOfPage(work, fetched, last, iteration)
  const next = nextPage(work, { response, items, headers, url }, iteration)
  if (fetched.items !== undefined) removeItems(iteration.spool.items, fetched.items)
  return next
}

/**
 * All items of a page as its paginator sees them. Those of a page in parts are read again, one part at a time, and only by
 * paginators that look at each.
 */
const itemsOfPage = (
  work: PendingPage,
  fetched: FetchedPage,
  last: readonly Json[],
  { spool }: Iteration,
): Page['items'] => {
  const { items: file, at } = fetched
  const { filterItems } = work.run.plan
  if (at === 0) return last
  if (file === undefined) {
    const { items } = listOf(work, fetched)
    return filterItems?.(items) ?? items
  }
  return {
    length: file.items,
    *[Symbol.iterator]() {
      for (const item of readAllItems(spool.items, file)) yield* filterItems?.([item]) ?? [item]
    },
  }
}

const nextPage = (
  { run, request }: PendingPage,
  page: Page,
  iteration: Iteration,
): PendingPage | undefined => {
  const { paginator } = run
  const stopped = endByConfiguration({ run, request }, page, iteration)
  if (stopped !== undefined) return endRun(run, stopped, iteration)
  const next = paginator.next(page, request)
  const isSame = next !== undefined && paginator.toldBy === 'items' && run.watch?.hasAsked(next) === true
  if (next === undefined || isSame) {
    const reason = isSame ? STUCK : paginator.ended
    const stuck = isSame ? STUCK : paginator.stuck?.(page, request)
    return endRun(run, { reason, stuck }, iteration)
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
  { run, request }: PendingPage,
  page: Page,
  { roomOf, now }: Iteration,
): RunEnd | undefined => {
  const { plan, paginator, progress } = run
  if (roomOf(plan) === 0) return { reason: 'the preview is full', isWanted: true }
  const stop = paginator.stop(page, progress, now())
  if (stop?.isCut !== true) return stop && { reason: stop.reason }
  const isAll =
    (plan.job.completeness !== undefined && run.watch?.hasAll) || paginator.isLast(page, request, progress)
  return { reason: stop.reason, isWanted: true, ...(isAll ? {} : { cut: stop.reason }) }
}

/** After its last page: the end of a run, or the first page of its next step. */
const endRun = (run: JobRun, end: RunEnd, iteration: Iteration): PendingPage | undefined => {
  const { plan } = run
  iteration.log.debug(
    end.isRepeated
      ? `Job '${plan.job.endpoint}' finished when last response matched the previous!`
      : `Job '${plan.job.endpoint}' finished: ${end.reason}.`,
  )
  tellEnd(run, end, iteration)
  iteration.statistics.ended(plan, end.reason)
  const step = end.cut === undefined ? stepAfter(plan, run.step, iteration) : undefined
  return step && startRun(plan, run, iteration, step)
}
