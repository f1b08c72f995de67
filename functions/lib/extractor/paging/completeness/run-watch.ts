import { hash } from 'node:crypto'
import { UserError } from '#lib/errors/errors.ts'
import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import type { PageRequest } from '../../requests/http/page-request.ts'
import type { Page } from '../paginator.ts'
import { usualTotal } from './page-facts.ts'
import { type Saying, saysMore } from './says-more.ts'

/** Pages of one run of a job that ask for no end of their own. */
const MAX_PAGES = 1_000_000

/** Requests and pages that a checkpoint remembers: circles of more pages are found a round later. */
const SAVED_DIGESTS = 1_000

const MAX_SAME_ITEMS = 3

export interface SavedWatch {
  rows: number
  /** Of the last page. */
  count: number
  requests: string[]
  items: string[]
  pages?: number
  total?: number
  wrong?: Saying
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
  /** It is the page that the one before told of, and has no content. */
  isNothing?: boolean
}

/** Watches the pages of one run of a job: for circles, and for what the last answer says of more. */
export class RunWatch {
  readonly #requests: Set<string>
  readonly #items: Map<string, number>
  /** As the API gave them. */
  rows: number
  /** Of the last page, as it came. */
  count: number
  /** With rows. */
  pages: number
  total: number | undefined
  more: Saying | undefined
  /** Of the first page that said that something went wrong. */
  wrong: Saying | undefined

  constructor(saved: SavedWatch = { rows: 0, count: 0, requests: [], items: [] }) {
    const { requests, items } = saved
    this.rows = saved.rows
    this.count = saved.count
    this.pages = saved.pages ?? 0
    this.total = saved.total
    this.wrong = saved.wrong
    this.#requests = new Set(requests)
    this.#items = new Map()
    for (const digest of items) this.#items.set(digest, (this.#items.get(digest) ?? 0) + 1)
  }

  save(): SavedWatch {
    return {
      rows: this.rows,
      count: this.count,
      requests: [...this.#requests].slice(-SAVED_DIGESTS),
      items: [...this.#items].slice(-SAVED_DIGESTS).flatMap(([digest, times]) => Array(times).fill(digest)),
      pages: this.pages,
      ...(this.total === undefined ? {} : { total: this.total }),
      ...(this.wrong === undefined ? {} : { wrong: this.wrong }),
    }
  }

  /** @throws UserError `extractor.pagination.endless` when these items came twice before */
  page(job: string, { count, items, headers, beside, rows, isNothing }: WatchedPage): void {
    this.rows += count
    this.count = count
    if (count > 0) this.pages++
    const told = saysMore(beside, headers, { pages: Math.max(1, this.pages), rows })
    this.total = usualTotal(rows?.[0] === beside ? undefined : beside, headers) ?? told.total ?? this.total
    this.wrong ??= told.wrong
    if (count > 0 || isNothing === true || saysAnything(beside)) this.more = told.more
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
