import { UserError } from '../../errors/errors.ts'
import { isObject } from '../../json/json-value.ts'
import type { PaginationOf } from '../config/pagination-schema.ts'
import { overlay, type RequestOptions } from '../requests/http/page-request.ts'
import { resolveUrl } from '../requests/http/resolve-url.ts'
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

/**
 * The next address is in the `Link` header: `<https://api.example/items?page=2>; rel="next"` (RFC 8288). Relative
 * addresses are resolved against the page's own. Default relation `next`.
 *
 * ```
 * { "method": "header-link" }
 * GET /orders           200 [items]    Link: </orders?page=2>; rel="next"
 * GET /orders?page=2    200 [items]                       no next link: the last page
 * ```
 */
export const headerLinkPaginator = (
  settings: PaginationOf<'header-link'>,
  input: PaginatorInput,
): Paginator => {
  const relation = (settings.rel || 'next').toLowerCase()
  const params = besideAddress(input, settings)
  return {
    first: pageRequest(input),
    next: page => {
      const target = findLink([page.headers['link'] ?? ''].flat().join(', '), relation)
      if (target === undefined) return undefined
      return pageRequest(input, { endpoint: resolveUrl(page.url, target).href, params })
    },
    toldBy: 'answer',
    toldByHeader: true,
    ended: `the response has no link with relation "${relation}"`,
  }
}

/**
 * The target of the first link with the relation; a link may have several relations with blanks between. Reads on over
 * whatever a server writes wrongly beside it (docs/decisions/0011-readers-of-our-own.md).
 */
export const findLink = (field: string, relation: string): string | undefined => {
  // Commas part links outside of quotes and angle brackets, where something follows that may be a target
  const links = field.match(/(?:"(?:[^"\\]|\\.)*"|<[^<>]*>|\\.|(?!,\s*(?:<|https?:\/\/|\/)).)+/gi) ?? []
  for (const link of links) {
    const [start = '', target, bare] = /^(?:[^<"=]*<([^>]*)>|[\s,]*([^\s<;]+))/.exec(link) ?? []
    // Each parameter whole: a title may hold what looks like one
    const found = [
      ...link
        .slice(start.length)
        .matchAll(/;\s*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s;,]*))/g),
    ].find(([, name]) => name?.toLowerCase() === 'rel')
    const relations = (found?.[2] ?? found?.[3] ?? found?.[4] ?? '').toLowerCase().split(/\s+/)
    if (relations.includes(relation)) return (target ?? bare)?.trim()
  }
  return undefined
}
