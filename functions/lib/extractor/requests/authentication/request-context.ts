import type { Json } from '#lib/json/json-value.ts'
import { parseQuery } from '../../values/php/query.ts'
import type { OutgoingRequest } from '../http/outgoing-request.ts'

/**
 * The contexts `query` and `request` of signing expressions (docs/reference/extractor-functions.md#contexts): the
 * request before signing.
 */
export const requestContext = ({ method, url }: OutgoingRequest): Record<'query' | 'request', Json> => {
  const { protocol, port } = new URL(url.origin)
  const at = url.target.indexOf('?')
  const path = at < 0 ? url.target : url.target.slice(0, at)
  const queryString = at < 0 ? '' : url.target.slice(at + 1)
  return {
    query: parseQuery(queryString),
    request: {
      url: url.href,
      path,
      queryString,
      method,
      hostname: url.hostname,
      port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
      resource: url.target,
    },
  }
}
