import type { Json } from '../../json/json-value.ts'
import type { PaginationOf } from '../config/pagination-schema.ts'
import { isEmpty } from '../values/php/php-values.ts'
import { wholeNumber } from '../values/select/ordering.ts'
import { cappedPage, type Paginator, type PaginatorInput, pageRequest } from './paginator.ts'

/**
 * Numbered pages (docs/reference/extractor-pagination.md#pagenum). Without a limit an empty page is the last, with one a page
 * that is not full.
 *
 * ```
 * { "method": "pagenum", "pageParam": "page" }
 * GET /orders?page=1    200 [items]
 * GET /orders?page=2    200 []                            the last page
 * ```
 */
export const pagenumPaginator = (settings: PaginationOf<'pagenum'>, input: PaginatorInput): Paginator => {
  const pageParam = settings.pageParam || 'page'
  const limitParam = settings.limitParam || 'limit'
  const first = settings.firstPage ?? 1
  // A list has its positions as names; a parameter may be named as what every object has
  const own: Record<string, Json> = Object.assign(Object.create(null), input.job.params)
  const configured = settings.limit || undefined
  const isAsked = settings.limitParam === false || isEmpty(own[limitParam])
  const limit = isAsked ? configured : Number(wholeNumber(own[limitParam]) ?? configured)
  const at = (page: number) => {
    const params = {
      ...own,
      [pageParam]: page,
      ...(limit === undefined || settings.limitParam === false ? {} : { [limitParam]: limit }),
    }
    return pageRequest(input, { params }, page)
  }
  return {
    first: settings.firstPageParams === false ? pageRequest(input, {}, first) : at(first),
    next: (page, previous) =>
      page.items.length < (limit ?? 1) ? undefined : at(Number(previous.position) + 1),
    stuck: (page, { position }) =>
      position === first && settings.limitParam !== false ? cappedPage(page, limit) : undefined,
    toldBy: 'count',
    ended:
      limit === undefined ? 'a page held no items' : `a page held fewer items than the limit of ${limit}`,
  }
}

/**
 * Fixed page size, growing offset (docs/reference/extractor-pagination.md#offset). A job param named like `limitParam` replaces
 * the limit; one named like `offsetParam` gives the first offset with `offsetFromJob`, and is overwritten otherwise.
 *
 * ```
 * { "method": "offset", "limit": 100 }
 * GET /orders?limit=100&offset=0      200 [100 items]
 * GET /orders?limit=100&offset=100    200 [37 items]      fewer than 100: the last page
 * ```
 */
export const offsetPaginator = (settings: PaginationOf<'offset'>, input: PaginatorInput): Paginator => {
  const isSent = settings.limitParam !== false && settings.limit !== undefined
  const limitParam = settings.limitParam || 'limit'
  const offsetParam = settings.offsetParam || 'offset'
  // A parameter may be named as what every object has
  const own: Record<string, unknown> = Object.assign(Object.create(null), input.job.params)
  const limit =
    !isSent || isEmpty(own[limitParam])
      ? settings.limit
      : Number(wholeNumber(own[limitParam]) ?? settings.limit)
  const start = settings.offsetFromJob === true ? Number(wholeNumber(own[offsetParam]) ?? 0) : 0
  const at = (offset: number) =>
    pageRequest(
      input,
      {
        params: {
          ...input.job.params,
          ...(isSent && limit !== undefined ? { [limitParam]: limit } : {}),
          [offsetParam]: offset,
        },
      },
      offset,
    )
  // One of the job counts for nothing but the start, on no page
  const { [offsetParam]: given, ...others } = { ...input.job.params } as Record<string, Json>
  const bare = given === undefined || settings.offsetFromJob === true ? {} : { params: others }
  return {
    first: settings.firstPageParams === false ? pageRequest(input, bare, start) : at(start),
    next: (page, previous) =>
      page.items.length < (limit ?? 1)
        ? undefined
        : at(Number(previous.position) + (limit ?? page.items.length)),
    stuck: (page, { position }) => (position === start && isSent ? cappedPage(page, limit) : undefined),
    toldBy: 'count',
    emptyIsLast: true,
    ended:
      limit === undefined ? 'a page held no items' : `a page held fewer items than the limit of ${limit}`,
  }
}
