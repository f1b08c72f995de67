import { createHmac, randomBytes } from 'node:crypto'
import { UserError } from '#lib/errors/errors.ts'
import type { Json } from '#lib/json/json-value.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import type {
  ApiKeyAuthentication,
  OAuth20Authentication,
  OAuthCredentials,
} from '../../config/authentication-schema.ts'
import type { EvaluateValues } from '../../values/functions/evaluate.ts'
import { toText } from '../../values/php/php-values.ts'
import { parseQuery, type Query, rawUrlEncode, replaceInQuery } from '../../values/php/query.ts'
import { valueAt } from '../../values/select/json-path.ts'
import type { Authenticator } from '../http/authenticator.ts'
import {
  checkHeaders,
  type OutgoingRequest,
  setHeader,
  setHeaders,
  splitTarget,
  withQuery,
} from '../http/outgoing-request.ts'
import type { Masker } from '../masking/masker.ts'

/**
 * Query parameters worked out for each request, with contexts `attr`, `query` and `request`
 * (docs/reference/extractor-authentication.md#query).
 *
 * ```
 * { "type": "query", "query": { "key": { "attr": "#apiKey" } } }
 * GET /orders?key=k1
 * ```
 */
export const queryAuthentication = (
  query: Readonly<Record<string, unknown>> | undefined,
  attributes: Json,
  evaluate: EvaluateValues,
): Authenticator => {
  if (query === undefined || Object.keys(query).length === 0) {
    throw new UserError(
      'extractor.authentication.query',
      `The query authentication method requires 'query' configuration in 'authentication' section.`,
    )
  }
  return {
    sign: async request => {
      const values = evaluate(
        query,
        { attr: attributes, ...requestContext(request) },
        'api.authentication.query',
      )
      return withQuery(request, old => replaceInQuery(old, values))
    },
  }
}

/**
 * A key in a header, a query parameter or a cookie (docs/reference/extractor-authentication.md#apikey).
 *
 * ```
 * { "type": "apiKey", "in": "header", "name": "Authorization", "prefix": "Token ", "value": { "attr": "#key" } }
 * GET /orders    Authorization: Token k1
 * ```
 */
export const apiKeyAuthentication = (
  settings: ApiKeyAuthentication,
  attributes: Json,
  evaluate: EvaluateValues,
  masker: Masker,
): Authenticator => {
  const { name, prefix = '' } = settings
  const { value } = evaluate({ value: settings.value }, { attr: attributes }, 'api.authentication')
  const key = toText(value)
  masker.add(key)
  const text = prefix + key
  return {
    sign: async request => {
      if (settings.in === 'query') return withQuery(request, old => replaceInQuery(old, { [name]: text }))
      const headers =
        settings.in === 'header'
          ? setHeader(request.headers, name, text)
          : setHeader(request.headers, 'Cookie', `${name}=${text}`)
      return { ...request, headers }
    },
  }
}

/**
 * Headers and query worked out for each request from the broker's `#data` (docs/reference/extractor-authentication.md#oauth20).
 *
 * ```
 * { "type": "oauth20", "format": "json",
 *   "headers": { "Authorization": { "function": "concat", "args": ["Bearer ", { "authorization": "data.access_token" }] } } }
 * GET /orders    Authorization: Bearer eyJ...
 * ```
 */
export const oauth20Authentication = (
  settings: OAuth20Authentication,
  stored: OAuthCredentials | undefined,
  now: () => number,
  evaluate: EvaluateValues,
): Authenticator => {
  const { data, clientId } = requireCredentials(stored, '2.0')
  const content = settings.format === 'json' ? parseData(data) : data
  return {
    sign: async request => {
      const context = {
        ...requestContext(request),
        authorization: {
          clientId,
          nonce: randomBytes(8).toString('hex'),
          timestamp: Math.floor(now()),
          data: content,
        },
      }
      const query = evaluate(settings.query ?? {}, context, 'api.authentication.query')
      const headers = evaluate(settings.headers ?? {}, context, 'api.authentication.headers')
      // Written anew even when nothing is added, as Generic Extractor does
      const signed = withQuery(request, old => replaceInQuery(old, query))
      return { ...signed, headers: setHeaders(signed.headers, checkHeaders(headers)) }
    },
  }
}

/**
 * The contexts `query` and `request` of signing expressions (docs/reference/extractor-functions.md#contexts): the
 * request before signing.
 */
const requestContext = ({ method, url }: OutgoingRequest): Record<'query' | 'request', Json> => {
  const { protocol, port } = new URL(url.origin)
  const [path, queryString] = splitTarget(url)
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

interface Credentials {
  data: string
  clientId: string
  clientSecret: string
}

/** @throws UserError `extractor.authentication.oauth` naming what is missing */
export const requireCredentials = (
  credentials: OAuthCredentials | undefined,
  version: '1.0' | '2.0',
): Credentials => {
  if (credentials === undefined) {
    throw new UserError(
      'extractor.authentication.oauth',
      'OAuth API credentials not supplied in configuration.',
    )
  }
  const need = (key: '#data' | 'appKey' | '#appSecret'): string => {
    const value = credentials[key]
    if (value) return value
    throw new UserError(
      'extractor.authentication.oauth',
      `Missing '${key}' for OAuth ${version} authorization.`,
    )
  }
  return { data: need('#data'), clientId: need('appKey'), clientSecret: need('#appSecret') }
}

/** The stored `#data` as JSON. */
export const parseData = (data: string): Json => {
  try {
    return parseJson(data)
  } catch (cause) {
    throw new UserError('extractor.authentication.oauth', 'The OAuth data is not a valid JSON', { cause })
  }
}

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
  const [path, query] = splitTarget(request.url)
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
