import type { Json } from '../../json/json-value.ts'
import type { PaginationOf } from '../config/pagination-schema.ts'
import { isEmpty } from '../values/php/php-values.ts'
import { wholeNumber } from '../values/select/whole-number.ts'
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
