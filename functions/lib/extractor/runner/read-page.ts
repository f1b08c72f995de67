import type { FetchedPage } from '../http/api-session.ts'
import { volumeOf } from '../pagination/stop-rules.ts'
import { findItems } from '../select/find-items.ts'
import type { Json } from '../tables/json-value.ts'
import type { AddOptions } from '../tables/sink-types.ts'
import { pendingChildren } from './child-runs.ts'
import type { JobContext } from './job-context.ts'
import type { JobRun, PageWork, PendingChildren } from './job-run.ts'
import { fingerprint, isSameResponse } from './same-response.ts'

/** What a page leads to: rows to write, then the children of its rows, then the next page. */
export interface PageResult {
  items: readonly Json[]
  /** Where the items are in the response, for the sink. */
  source: AddOptions['source']
  /** What to do next, in this order: the children of the rows, then the next page. */
  next: (PageWork | PendingChildren)[]
}

/** Takes the items from a fetched page and works out what follows it. Sends nothing, writes nothing. */
export const readPage = (work: PageWork, fetched: FetchedPage, context: JobContext): PageResult => {
  const { run } = work
  const { plan, progress } = run
  if (repeats(run, fetched.response)) {
    // The server repeats itself: drop the page and end the job
    // (docs/reference/extractor.md#pagination)
    context.log.debug(`Job '${plan.job.endpoint}' finished when last response matched the previous!`)
    context.statistics.ended(plan, 'the response matched the previous one')
    return { items: [], source: undefined, next: [] }
  }
  run.lastResponse = fetched.response
  run.lastFingerprint = undefined

  const found = findItems(fetched.response, plan.job, run.request.endpoint ?? plan.job.endpoint)
  if (found.warning !== undefined) context.log.warning(found.warning)
  const items = limited(plan.filterItems?.(found.items) ?? found.items, run, context)
  const isWhole = fetched.isParsed && items === found.items && found.path !== undefined
  context.marks.note(plan, items)
  context.statistics.page(plan, items.length)
  progress.pages++
  progress.items += items.length
  if (run.pagination.countsVolume) progress.volume += volumeOf(fetched.response)

  const next = nextPage(work, fetched, items, context)
  const children = pendingChildren(run, items, context)
  return {
    items,
    source: isWhole ? { body: fetched.body, path: found.path ?? [] } : undefined,
    next: next === undefined ? children : [...children, next],
  }
}

const repeats = (run: JobRun, response: Json): boolean => {
  if (run.lastResponse !== undefined) return isSameResponse(run.lastResponse, response)
  return run.lastFingerprint !== undefined && run.lastFingerprint === fingerprint(response)
}

const limited = (items: Json[], run: JobRun, context: JobContext): Json[] => {
  if (context.maxRows === undefined) return items
  const left = Math.max(0, context.maxRows - context.statistics.rowsOf(run.plan))
  return items.length > left ? items.slice(0, left) : items
}

const nextPage = (
  { run, request }: PageWork,
  fetched: FetchedPage,
  items: readonly Json[],
  context: JobContext,
): PageWork | undefined => {
  const { plan, pagination, progress } = run
  const { response, headers, url } = fetched
  const page = { response, items, headers, url }
  const isPreviewed = context.maxRows !== undefined && context.statistics.rowsOf(plan) >= context.maxRows
  const reason = isPreviewed ? 'the preview is full' : pagination.stop(page, progress, context.now())
  const next = reason === undefined ? pagination.next(page, request) : undefined
  if (next !== undefined) return { run, request: next }
  context.statistics.ended(plan, reason ?? pagination.ended)
  context.log.debug(`Job '${plan.job.endpoint}' finished: ${reason ?? pagination.ended}.`)
  return undefined
}
