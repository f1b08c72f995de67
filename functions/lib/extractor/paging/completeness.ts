import { hash } from 'node:crypto'
import { UserError } from '#lib/errors/errors.ts'
import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { plural } from '../../plural.ts'
import { firstHeader } from '../requests/answers/http-response.ts'
import type { PageRequest } from '../requests/http/page-request.ts'
import { valueAt } from '../values/select/json-path.ts'
import { type Saying, saysError, saysMore } from './answer-says.ts'
import type { Page } from './paginator.ts'

/** Where an API says how many rows there are: a path in its answers, or a header. */
export type TotalPlace = string | { header: string }

type Told = { page: number; total: number }

/** What the pages of one run of a job have shown so far. */
interface Seen {
  /** As the API gave them. */
  rows: number
  /** Of the last page, as it came. */
  count: number
  pages: number
  firstTotal?: Told | undefined
  lastTotal?: Told | undefined
  /** What an answer says has gone wrong, although its status says that it is well. */
  error?: string | undefined
}

export interface SavedWatch extends Seen {
  requests: string[]
  items: string[]
}

export interface WatchedPage {
  /** As they came, before any filter. */
  count: number
  /** The bytes of the items, or something that stands for them. */
  items: string | Uint8Array
  headers: Page['headers']
  /** The response, with or without its items; absent when they are all of it. */
  beside: Json | undefined
  /** The items where `beside` may have them. */
  rows?: readonly Json[] | undefined
  /** Where items should be, of an answer that has nothing there but these keys elsewhere. */
  missing?: { path: string; keys: readonly string[] } | undefined
  /** It is the page that the one before told of, and has no content. */
  isNothing?: boolean
}

/** Pages of one run of a job that ask for no end of their own. */
const MAX_PAGES = 1_000_000

/** Requests and pages that a checkpoint remembers: circles of more pages are found a round later. */
const SAVED_DIGESTS = 1_000
const MAX_SAME_ITEMS = 3

/** Watches the pages of one run of a job: for circles, for its total, and for what the last answer says of more. */
export class RunWatch {
  readonly #requests: Set<string>
  readonly #items = new Map<string, number>()
  readonly seen: Seen
  /** What the last answer says of more. */
  #more: Saying | undefined
  #missing: WatchedPage['missing']

  constructor(
    { requests, items, ...seen }: SavedWatch = { rows: 0, count: 0, pages: 0, requests: [], items: [] },
  ) {
    this.seen = seen
    this.#requests = new Set(requests)
    for (const digest of items) this.#items.set(digest, (this.#items.get(digest) ?? 0) + 1)
  }

  save(): SavedWatch {
    return {
      ...this.seen,
      requests: [...this.#requests].slice(-SAVED_DIGESTS),
      items: [...this.#items].slice(-SAVED_DIGESTS).flatMap(([digest, times]) => Array(times).fill(digest)),
    }
  }

  /**
   * @param places where its total stands
   * @throws UserError `extractor.pagination.endless` when these items came twice before
   */
  page(
    job: string,
    { count, items, headers, beside, rows, isNothing, missing }: WatchedPage,
    places: readonly TotalPlace[] = usualPlaces,
  ): void {
    const { seen } = this
    seen.rows += count
    seen.count = count
    seen.pages++
    this.#missing = missing
    const isRow = rows?.[0] !== undefined && rows[0] === beside
    const total = totalOf(isRow ? undefined : beside, headers, places)
    if (total !== undefined) {
      seen.lastTotal = { page: seen.pages, total }
      seen.firstTotal ??= seen.lastTotal
    }
    if (!isRow) seen.error ??= saysError(beside, rows)
    if (count > 0 || isNothing === true || saysAnything(beside))
      this.#more = isRow ? undefined : saysMore(beside, headers)
    if (count === 0) return
    const digest = digestOf(items)
    const times = (this.#items.get(digest) ?? 0) + 1
    this.#items.set(digest, times)
    if (times >= MAX_SAME_ITEMS)
      throw endless(
        job,
        `the same ${count === 1 ? 'row' : `${count} rows`} came for the ${MAX_SAME_ITEMS}rd time`,
      )
  }

  hasAsked(request: PageRequest): boolean {
    return this.#requests.has(digestOfRequest(request))
  }

  /**
   * @param pages read before it
   * @throws UserError `extractor.pagination.endless` when it was asked for before
   */
  asks(job: string, request: PageRequest, pages: number): void {
    const digest = digestOfRequest(request)
    if (this.#requests.has(digest))
      throw endless(
        job,
        `the next request (${request.method} ${request.endpoint}) is one that was sent before`,
      )
    this.#requests.add(digest)
    if (pages >= MAX_PAGES) throw endless(job, `it has more than ${MAX_PAGES.toLocaleString('en-US')} pages`)
  }

  /** What the answers say against the end of the run: each with the key that would mend it. Nothing when they do not say that there is more. */
  against({ stuck, isRepeated = false, knowsTotal, leavesNext }: RunEnding): string[] {
    const { rows, count, lastTotal, error } = this.seen
    const total = lastTotal?.total
    const mayLack = total === undefined || rows < total
    const found: string[] = []
    // A page that comes again without rows is the last one of many APIs
    const hasRepeated = isRepeated && count > 0
    if (hasRepeated && mayLack)
      found.push(
        'the API sent the page before again: does it know the parameter of the page, or want it elsewhere?',
      )
    if (stuck !== undefined && mayLack) found.push(`${stuck}, with ${plural(count, 'row')} on the page`)
    if (this.#missing !== undefined && !isRepeated) {
      const keys = this.#missing.keys.map(key => `"${key}"`).join(', ')
      found.push(
        `there is nothing at ${this.#missing.path}, where the answer has ${keys}: look at "dataField", or at what the answer says`,
      )
    }
    if (!knowsTotal && total !== undefined && total > rows)
      found.push(
        `the answer says a total of ${total.toLocaleString('en-US')}, and ${plural(rows, 'row was', 'rows were')} read: look at "pagination"`,
      )
    if (error !== undefined) found.push(`the answer says ${error}: not all may have come`)
    if (this.#more !== undefined && !hasRepeated && !leavesNext)
      found.push(`${this.#more.says} (${this.#more.key})`)
    return found
  }

  /** Whether the API said a total, and so many rows came. */
  get hasAll(): boolean {
    return this.seen.lastTotal?.total === this.seen.rows
  }

  /** What a run lacks whose job has `completeness`; nothing when it is complete as far as the API lets anybody know. */
  lacks(): string[] {
    const { rows, firstTotal: first, lastTotal: last } = this.seen
    if (first === undefined || last === undefined)
      return ['nothing shows whether it is complete: the API said no total']
    const said = `the API said ${plural(first.total, 'row')} on page ${first.page} and ${last.total.toLocaleString('en-US')} on page ${last.page}`
    return [
      ...(first.total === last.total ? [] : [said]),
      ...(rows === last.total ? [] : [`${rows.toLocaleString('en-US')} of ${plural(last.total, 'row')}`]),
    ]
  }
}

/** How one run of a job ended. */
interface RunEnding {
  /** Why there is no next page although nothing says that this was the last. */
  stuck?: string | undefined
  /** The last page equals the one before. */
  isRepeated?: boolean
  /** The total is judged by `completeness`. */
  knowsTotal: boolean
  /** The end is told by something else than the address of a next page, which is there all the same. */
  leavesNext: boolean
}

/** What the page before said holds while an answer says nothing at all. */
const saysAnything = (beside: Json | undefined): boolean =>
  beside === undefined || (isObject(beside) && Object.keys(beside).length > 0)

const digestOf = (of: string | Uint8Array): string => hash('sha1', of, 'base64url').slice(0, 16)

const digestOfRequest = ({ position: _, ...request }: PageRequest): string =>
  digestOf(JSON.stringify(request))

const endless = (job: string, why: string): UserError =>
  new UserError(
    'extractor.pagination.endless',
    `Job '${job}' would not end: ${why}. Look at its pagination: the API may not know the parameter of the page, or gives the last page again.`,
  )

/** Where APIs mostly say how many rows there are. */
export const usualPlaces: readonly TotalPlace[] = [
  { header: 'X-Total-Count' },
  'total',
  'totalCount',
  'total_count',
  'meta.total',
]

/** Of `0-24/319` in a header the number behind the slash. */
export const totalOf = (
  response: Json | undefined,
  headers: Page['headers'],
  places: readonly TotalPlace[] = usualPlaces,
): number | undefined =>
  places
    .map(place =>
      asCount(
        typeof place === 'string'
          ? valueAt(place, response ?? null)
          : firstHeader(headers, place.header)?.replace(/^.*\//, '').trim(),
      ),
    )
    .find(count => count !== undefined)

const asCount = (value: Json | undefined): number | undefined =>
  (typeof value === 'number' || typeof value === 'string') && /^\d{1,15}$/.test(String(value))
    ? Number(value)
    : undefined
