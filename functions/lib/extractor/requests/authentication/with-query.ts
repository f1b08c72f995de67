import { formatQuery, parseQuery, type Query } from '../../values/php/query.ts'
import type { OutgoingRequest } from '../http/outgoing-request.ts'

/**
 * The request with its query changed; the whole query is written anew, RFC 3986 encoded
 * (docs/reference/extractor-jobs.md#requests).
 */
export const withQuery = (request: OutgoingRequest, change: (query: Query) => Query): OutgoingRequest => {
  const at = request.url.target.indexOf('?')
  const path = at < 0 ? request.url.target : request.url.target.slice(0, at)
  const query = formatQuery(change(parseQuery(at < 0 ? '' : request.url.target.slice(at + 1))))
  const target = query === '' ? path : `${path}?${query}`
  return { ...request, url: { ...request.url, target, href: request.url.origin + target } }
}
