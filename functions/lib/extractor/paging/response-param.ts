import type { PaginationOf } from '../config/pagination-schema.ts'
import { overlay } from '../requests/http/overlay.ts'
import type { RequestOptions } from '../requests/http/page-request.ts'
import { isEmpty } from '../values/php/php-values.ts'
import { valueAt } from '../values/select/json-path.ts'
import { type Paginator, type PaginatorInput, pageRequest } from './paginator.ts'

/**
 * A value of the response goes into a parameter of the next request; `scrollRequest` is laid over it
 * (docs/reference/extractor-pagination.md#responseparam).
 *
 * ```
 * { "method": "response.param", "responseParam": "meta.next", "queryParam": "cursor" }
 * GET /orders              200 { "orders": [...], "meta": { "next": "abc" } }
 * GET /orders?cursor=abc   200 { "orders": [...], "meta": { "next": "" } }    the last page
 * ```
 */
export const responseParamPaginator = (
  settings: PaginationOf<'response.param'>,
  input: PaginatorInput,
): Paginator => {
  const base: RequestOptions = settings.includeParams === true ? input.job : { ...input.job, params: {} }
  const scroll = overlay(base, (settings.scrollRequest ?? {}) as RequestOptions) // values of a configuration are JSON
  return {
    first: pageRequest(input),
    next: page => {
      const value = valueAt(settings.responseParam, page.response)
      if (value === undefined || isEmpty(value)) return undefined
      return pageRequest(input, { ...scroll, params: { ...scroll.params, [settings.queryParam]: value } })
    },
    toldBy: 'answer',
    ended: `the response has no value at '${settings.responseParam}'`,
  }
}
