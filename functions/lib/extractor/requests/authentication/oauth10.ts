import { createHmac, randomBytes } from 'node:crypto'
import { UserError } from '#lib/errors/errors.ts'
import type { OAuthCredentials } from '../../config/authentication-schema.ts'
import { toText } from '../../values/php/php-values.ts'
import { parseQuery, type Query, rawUrlEncode } from '../../values/php/query.ts'
import { valueAt } from '../../values/select/json-path.ts'
import type { Authenticator } from '../http/authenticator.ts'
import { type OutgoingRequest, setHeader } from '../http/outgoing-request.ts'
import { parseData, requireCredentials } from './query.ts'

/**
 * OAuth 1.0 (RFC 5849), HMAC-SHA1, in the Authorization header. `#data` holds `oauth_token` and `oauth_token_secret`.
 *
 * ```
 * #data: { "oauth_token": "t", "oauth_token_secret": "s" }
 * GET /orders    Authorization: OAuth oauth_consumer_key="...", oauth_token="t", oauth_signature="..."
 * ```
 */
export const oauth10Authentication = (
  stored: OAuthCredentials | undefined,
  now: () => number,
  nonce: () => string = () => randomBytes(16).toString('hex'),
): Authenticator => {
  const { data, clientId, clientSecret } = requireCredentials(stored, '1.0')
  const parsed = parseData(data)
  const token = toText(valueAt('oauth_token', parsed))
  const tokenSecret = toText(valueAt('oauth_token_secret', parsed))
  if (token === '' || tokenSecret === '') {
    throw new UserError(
      'extractor.authentication.oauth',
      'The OAuth data lacks oauth_token or oauth_token_secret',
    )
  }
  return {
    sign: async request => {
      const oauth: Record<string, string> = {
        oauth_consumer_key: clientId,
        oauth_nonce: nonce(),
        oauth_signature_method: 'HMAC-SHA1',
        oauth_timestamp: String(Math.floor(now())),
        oauth_token: token,
        oauth_version: '1.0',
      }
      const key = `${rawUrlEncode(clientSecret)}&${rawUrlEncode(tokenSecret)}`
      const signature = createHmac('sha1', key).update(signatureBase(request, oauth)).digest('base64')
      const fields = Object.entries({ ...oauth, oauth_signature: signature })
        .map(([name, value]) => `${name}="${rawUrlEncode(value)}"`)
        .join(', ')
      return { ...request, headers: setHeader(request.headers, 'Authorization', `OAuth ${fields}`) }
    },
  }
}

/** RFC 5849, 3.4.1: method, address without query, and all parameters sorted by encoded name, then value. */
export const signatureBase = (request: OutgoingRequest, oauth: Readonly<Record<string, string>>): string => {
  const [path = '', query = ''] = request.url.target.split(/\?(.*)/s)
  const isForm = Object.entries(request.headers).some(
    ([name, value]) => name.toLowerCase() === 'content-type' && value === 'application/x-www-form-urlencoded',
  )
  const parameters = [
    ...pairs(parseQuery(query)),
    ...(isForm ? pairs(parseQuery(request.body ?? '')) : []),
    ...Object.entries(oauth),
  ]
  const sorted = parameters
    .map(([name, value]) => [rawUrlEncode(name), rawUrlEncode(value)] as const)
    .sort(([a, x], [b, y]) => (a === b ? compare(x, y) : compare(a, b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
  return [request.method, request.url.origin + path, sorted].map(rawUrlEncode).join('&')
}

const pairs = (query: Query): [string, string][] =>
  Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map(text => [name, text ?? ''] as [string, string]),
  )

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
