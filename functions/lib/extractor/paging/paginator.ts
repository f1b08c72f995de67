import type { Json } from '../../json/json-value.ts'
import type { ResponseHeaders } from '../requests/answers/http-response.ts'
import {
  complete,
  overlay,
  type PageRequest,
  type Params,
  type RequestOptions,
} from '../requests/http/page-request.ts'
import type { Log } from '../requests/masking/masker.ts'
import { phpJsonEncode } from '../values/php/php-serialize.ts'

/** Why a job ends whose cursor is that of the page before. */
export const STUCK = 'the cursor did not move'

/** One page as the paginators see it. */
export interface Page {
  response: Json
  /** The items that the job took from it, after filters. */
  items: Iterable<Json> & { readonly length: number }
  headers: ResponseHeaders
  /** Where the response came from, redirects followed. */
  url: string
}

/** A paginator made for one run of one job. */
export interface Paginator {
  first: PageRequest
  /**
   * The request for the next page, or `undefined` after the last. Pure: everything it needs is in its arguments, and it may be called only to
   * ask whether a page follows. What warns before it ends needs `stuck`, which is asked first then.
   */
  next: (page: Page, previous: PageRequest) => PageRequest | undefined
  /** Why there is no next page although nothing says that this was the last; `undefined` otherwise. */
  stuck?: (page: Page, previous: PageRequest) => string | undefined
  /**
   * What tells of a next page: the `answer` alone (one without content, status 204, read as `[]`, then answers what was told: nothing is
   * `stuck`), values of `items` (it may be one that was read, when they are the last ones again), the `count` of items, or nothing: no page
   * follows the first, whatever it says.
   */
  toldBy: 'answer' | 'items' | 'count' | 'nothing'
  /** Headers name the next page: equal bodies are no repeat while these name another one. */
  toldByHeader?: boolean
  /** The end is told by something else than the address of a next page, which is there all the same. */
  leavesNext?: boolean
  /** Whether an empty body below status 400 is the last page rather than an error. A 204 always is. */
  emptyIsLast?: boolean
  /** Why there is no next page, for the summary. */
  ended: string
}

export interface PaginatorInput {
  /** The job's own request, params evaluated, placeholders filled in. */
  job: RequestOptions
  /** `api.http.defaultOptions`, laid below every request of the job, next pages too. */
  defaults: RequestOptions
  now: () => number
  log: Log
}

/** The job's request with `over` laid over it and the defaults below. */
export const pageRequest = (input: PaginatorInput, over: RequestOptions = {}, position?: Json): PageRequest =>
  complete(overlay(input.defaults, { ...input.job, ...over }), position)

/**
 * Params of a next page whose address has its own query: those that the body names, or all of the job. Of `{ "from": 1, "all": 2 }` and the body
 * `<get from="{from}"/>` it is `from`.
 */
export const besideAddress = (
  { job: { params = {}, body } }: PaginatorInput,
  { includeParams }: { includeParams?: boolean | undefined },
): Params => {
  if (includeParams === true) return params
  const named = JSON.stringify(body ?? null)
  return Object.fromEntries(Object.entries(params).filter(([name]) => named.includes(`{${name}}`)))
}

/** APIs mostly cap their pages at a round number. */
const CAPS = 50

/** Of a first page that is not full: an API that is asked for more than it gives at a time gives its most, and the job would end there. */
export const cappedPage = ({ items }: Pick<Page, 'items'>, limit: number | undefined): string | undefined =>
  limit !== undefined && items.length > 0 && items.length < limit && items.length % CAPS === 0
    ? `the API may give no more than ${items.length} at a time ("limit": ${items.length} reads on)`
    : undefined

/** Bytes of a response as the volume rule counts them. */
export const volumeOf = (response: Json): number => Buffer.byteLength(phpJsonEncode(response, false))
