import { UserError } from '../../errors/errors.ts'
import { isObject } from '../../json/json-value.ts'
import type { PaginationOf } from '../config/pagination-schema.ts'
import { overlay, type RequestOptions } from '../requests/http/page-request.ts'
import { isEmpty, toText } from '../values/php/php-values.ts'
import { parseQuery, type Query } from '../values/php/query.ts'
import { valueAt } from '../values/select/json-path.ts'
import { besideAddress, type Paginator, type PaginatorInput, pageRequest } from './paginator.ts'

type Settings = Pick<PaginationOf<'response.url'>, 'urlKey' | 'delimiter' | 'includeParams' | 'paramIsQuery'>

/**
 * The response holds the next address (docs/reference/extractor-pagination.md#responseurl). `includeParams` adds the job's
 * params to it; `paramIsQuery` takes the value for a query and lays it over the params instead.
 *
 * ```
 * { "method": "response.url", "urlKey": "links.next" }
 * GET /orders           200 { "orders": [...], "links": { "next": "/orders?after=42" } }
 * GET /orders?after=42  200 { "orders": [...], "links": { "next": null } }    the last page
 * ```
 *
 * @param isLast stops although there is a next address, with this query
 */
export const responseUrlPaginator = (
  settings: Settings,
  input: PaginatorInput,
  isLast: (query: Query) => boolean = () => false,
): Paginator => {
  const urlKey = settings.urlKey || 'next_page'
  const params = besideAddress(input, settings)
  return {
    first: pageRequest(input),
    next: page => {
      const found = valueAt(urlKey, page.response, settings.delimiter ?? '.')
      if (isEmpty(found)) return undefined
      if (isObject(found) || Array.isArray(found)) {
        throw new UserError(
          'extractor.pagination.value',
          `The next page address at '${urlKey}' is not a text.`,
        )
      }
      const address = toText(found)
      const isQuery = settings.paramIsQuery === true
      const query = parseQuery(address.replace(isQuery ? /^\?+/ : /^[^?]*\??/, ''))
      if (isLast(query)) return undefined
      if (!isQuery) return pageRequest(input, { endpoint: address, params })
      const repeated = Object.keys(query).filter(name => Array.isArray(query[name]))
      return pageRequest(input, { params: { ...params, ...query }, repeated })
    },
    toldBy: 'answer',
    ended: `the response has no next address at '${urlKey}'`,
  }
}

// Zendesk answers requests for the last minutes with an error (its guide "Incremental exports")
const tooRecentSeconds = 6 * 60

/**
 * `response.url` that also stops when `start_time` in the next address is younger than six minutes.
 *
 * ```
 * { "method": "zendesk.response.url" }
 * GET /tickets?start_time=0    200 { "tickets": [...], "next_page": "https://.../tickets?start_time=1763740000" }
 * ```
 */
export const zendeskUrlPaginator = (
  settings: PaginationOf<'zendesk.response.url'>,
  input: PaginatorInput,
): Paginator => {
  const paginator = responseUrlPaginator(settings, input, query => {
    const start = query['start_time']
    return typeof start === 'string' && /^\d+$/.test(start) && Number(start) > input.now() - tooRecentSeconds
  })
  return { ...paginator, leavesNext: true, ended: `${paginator.ended}, or its start_time is too recent` }
}

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
