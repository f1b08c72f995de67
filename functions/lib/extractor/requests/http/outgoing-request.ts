import { UserError } from '#lib/errors/errors.ts'
import { JsonNumber } from '#lib/json/json-number.ts'
import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { objectOf } from '#lib/json/key-order.ts'
import { phpJsonEncode } from '../../values/php/php-serialize.ts'
import { toText } from '../../values/php/php-values.ts'
import { formatQuery, formEncode, parseQuery, type Query } from '../../values/php/query.ts'
import { firstHeader, type HttpResponse } from '../answers/http-response.ts'
import type { Masker } from '../masking/masker.ts'
import { fillText, type PageRequest, type RequestBody } from './page-request.ts'
import { type HttpUrl, resolveUrl } from './resolve-url.ts'

/** Header names as written; looked up without regard to case. */
export type Headers = Record<string, string | string[]>

/** A request as it goes on the wire. */
export interface OutgoingRequest {
  method: 'GET' | 'POST'
  url: HttpUrl
  headers: Headers
  body: string | undefined
  /** Which login of a run it carries the credentials of. */
  session?: number
}

interface OutgoingOptions {
  compat?: boolean
  lists?: 'indexed' | 'repeat' | undefined
}

/**
 * GET sends params in the query, POST as a JSON body, FORM as an urlencoded body; a job may give the body as text
 * (docs/reference/extractor-jobs.md#requests).
 */
export const toOutgoing = (
  request: PageRequest,
  baseUrl: string,
  defaultHeaders: Headers,
  options: OutgoingOptions = {},
): OutgoingRequest => {
  const headers = withDefaults(checkHeaders(request.headers), defaultHeaders)
  if (request.body !== undefined) return withBody(request, request.body, baseUrl, headers, options)
  if (request.method === 'GET') {
    const url = resolveUrl(baseUrl, buildEndpoint(request, options))
    return { method: 'GET', url, headers, body: undefined }
  }
  const isEmpty = Object.keys(request.params).length === 0
  const [type, body] =
    request.method === 'POST'
      ? [
          'application/json',
          isEmpty
            ? '[]'
            : phpJsonEncode(options.compat === true ? emptyAsLists(request.params) : request.params, true),
        ]
      : ['application/x-www-form-urlencoded', formEncode(request.params, options.lists)]
  return {
    method: 'POST',
    url: resolveUrl(baseUrl, request.endpoint),
    headers: setHeader(headers, 'Content-Type', type ?? ''),
    body: body ?? '',
  }
}

/** Params that the body names go there, the others into the query. */
const withBody = (
  { params, ...request }: PageRequest,
  given: RequestBody,
  baseUrl: string,
  headers: Headers,
  options: OutgoingOptions,
): OutgoingRequest => {
  const { method } = request
  const values: Record<string, Json> = Object.fromEntries(Object.entries(params))
  const { body, contentType, used } = bodyText(given, values, options.lists)
  const others = Object.fromEntries(Object.entries(values).filter(([name]) => !used.has(name)))
  const url = resolveUrl(baseUrl, buildEndpoint({ ...request, params: others }, options))
  // The first page of a GET that tells the others in its body
  if (method === 'GET' && body === '{}') return { method, url, headers, body: undefined }
  return {
    method: method === 'GET' ? 'GET' : 'POST',
    url,
    headers: setHeader(headers, 'Content-Type', contentType),
    body,
  }
}

const bodyText = (
  given: RequestBody,
  values: Readonly<Record<string, Json>>,
  lists: 'indexed' | 'repeat' | undefined,
) => {
  if ('text' in given) {
    const { text: body, used } = fillText(given.text, values)
    return { body, contentType: given.contentType, used }
  }
  const used = new Set<string>()
  if ('form' in given)
    return {
      body: formEncode((filled(given.form, values, used) ?? {}) as Record<string, Json>, lists), // an object stays one
      contentType: 'application/x-www-form-urlencoded',
      used,
    }
  return {
    body: phpJsonEncode(filled(given.json, values, used) ?? null, true),
    contentType: 'application/json',
    used,
  }
}

/** `"{name}"` becomes the value of that name, with its type; nothing while there is none. */
const filled = (given: Json, values: Readonly<Record<string, Json>>, used: Set<string>): Json | undefined => {
  const name = typeof given === 'string' ? /^\{([^{}\s"]+)\}$/.exec(given)?.[1] : undefined
  if (name !== undefined) {
    used.add(name)
    return Object.hasOwn(values, name) ? values[name] : undefined
  }
  if (Array.isArray(given)) return given.flatMap(item => filled(item, values, used) ?? [])
  if (!isObject(given)) return given
  const members = Object.entries(given).map(([key, inner]) => [key, filled(inner, values, used)] as const)
  return objectOf(members.filter((pair): pair is readonly [string, Json] => pair[1] !== undefined))
}

/** Generic Extractor reads `{}` as `[]`, and sends `[]`. */
const emptyAsLists = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(emptyAsLists)
  if (!isObject(value)) return value
  const members = Object.entries(value)
  return members.length === 0
    ? []
    : objectOf(members.map(([key, inner]) => [key, emptyAsLists(inner)] as const))
}

/** @throws UserError `extractor.request.headers` naming the path of a value that is neither text nor a list of texts */
export const checkHeaders = (headers: Readonly<Record<string, Json>>): Headers => {
  const result: Headers = {}
  for (const [name, value] of Object.entries(headers)) {
    result[name] = Array.isArray(value)
      ? value.map((item, index) => headerText(item, `${name}.${index}`))
      : headerText(value, name)
  }
  return result
}

const headerText = (value: Json, path: string): string => {
  if (isObject(value) || Array.isArray(value)) {
    const type = Array.isArray(value) ? 'array' : 'object'
    throw new UserError(
      'extractor.request.headers',
      `Invalid configuration: invalid type "${type}" in headers at path: ${path}`,
    )
  }
  const text = (value instanceof JsonNumber ? value.text : toText(value)).trim()
  if (/[\r\n\0]/.test(text)) {
    throw new UserError('extractor.request.headers', `Header "${path}" holds a line break`)
  }
  return text
}

export const setHeader = (headers: Headers, name: string, value: string | string[]): Headers => {
  const lower = name.toLowerCase()
  const kept = Object.entries(headers).filter(([other]) => other.toLowerCase() !== lower)
  return { ...Object.fromEntries(kept), [name]: value }
}

export const setHeaders = (headers: Headers, values: Headers): Headers =>
  Object.entries(values).reduce((result, [name, value]) => setHeader(result, name, value), headers)

const withDefaults = (headers: Headers, defaults: Headers): Headers => setHeaders(defaults, headers)

/**
 * An endpoint with its query. Params replace same-named ones of the endpoint's own query where they stand, new ones
 * follow; names `""` and `"0"` are dropped. What stands after `#` is never sent, so it ends before the query.
 * Without params the endpoint goes out verbatim. With `compat` the last of equal names is kept, as in Generic Extractor.
 */
export const buildEndpoint = (
  { endpoint: given, params, repeated = [] }: Pick<PageRequest, 'endpoint' | 'params' | 'repeated'>,
  { compat = false, lists }: OutgoingOptions = {},
): string => {
  if (Object.keys(params).length === 0) return given
  const [, path = '', own = ''] = /^([^?#]*)\??([^#]*)/.exec(given) ?? []
  const query = new Map<string, [Json, OutgoingOptions['lists']]>()
  for (const [name, value] of Object.entries(parseQuery(own))) {
    const values = [value].flat().map(text => text ?? '')
    query.set(name, [compat ? (values.at(-1) ?? '') : values, 'repeat'])
  }
  for (const [name, value] of Object.entries(params))
    query.set(name, [value, !compat && repeated.includes(name) ? 'repeat' : lists])
  const text = [...query]
    .filter(([name]) => name !== '' && name !== '0')
    .map(([name, [value, way]]) => formEncode({ [name]: value }, way))
    .filter(pair => pair !== '')
    .join('&')
  return text === '' ? path : `${path}?${text}`
}

/** The path of an address, and its query without the question mark. */
export const splitTarget = ({ target }: Pick<HttpUrl, 'target'>): [path: string, query: string] => {
  const [path = '', query = ''] = target.split(/\?(.*)/s)
  return [path, query]
}

/**
 * The request with its query changed; the whole query is written anew, RFC 3986 encoded
 * (docs/reference/extractor-jobs.md#requests).
 */
export const withQuery = (request: OutgoingRequest, change: (query: Query) => Query): OutgoingRequest => {
  const [path, before] = splitTarget(request.url)
  const query = formatQuery(change(parseQuery(before)))
  const target = query === '' ? path : `${path}?${query}`
  return { ...request, url: { ...request.url, target, href: request.url.origin + target } }
}

/** Where a redirect leads. Which headers may go there is another question. */
type RedirectTarget = Pick<OutgoingRequest, 'method' | 'url' | 'body'>

const redirects = new Set([301, 302, 303, 307, 308])

/**
 * The request that a redirect asks for, or `undefined` when the response is none. 301, 302 and 303 turn a POST into a
 * GET without body, as browsers do; 307 and 308 repeat it (RFC 9110, 15.4).
 */
export const redirectOf = (
  { method, url: from, body }: OutgoingRequest,
  { status, headers }: HttpResponse,
): RedirectTarget | undefined => {
  const location = firstHeader(headers, 'location')
  if (!redirects.has(status) || location === undefined) return undefined
  // Servers write letters as they are; headers come with a character for each byte
  const url = resolveUrl(from.href, Buffer.from(location, 'latin1').toString())
  if (from.origin.startsWith('https:') && url.origin.startsWith('http:') && body !== undefined)
    throw new UserError(
      'extractor.request.redirects',
      'A redirect would send the request body without encryption',
    )
  return status >= 307 || method === 'GET' ? { method, url, body } : { method: 'GET', url, body: undefined }
}

export const headersFor = ({ body }: RedirectTarget, headers: Headers): Headers =>
  body !== undefined
    ? headers
    : Object.fromEntries(Object.entries(headers).filter(([name]) => !/^content-/i.test(name)))

/** Headers that say nothing about who asks. */
const harmless = new Set(['accept', 'accept-language', 'accept-encoding', 'content-type', 'user-agent'])

/** For origins that the configuration does not name: no configured headers, no parameter that holds a secret. */
export const withoutCredentials = (request: OutgoingRequest, masker: Masker): OutgoingRequest => {
  if (request.body !== undefined && masker.holdsSecret(request.body))
    throw new UserError(
      'extractor.address.untrusted',
      `The request body holds a secret and would go to ${request.url.origin}, which is not listed in "api.http.trustedOrigins"`,
    )
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => harmless.has(name.toLowerCase())),
  )
  const [, query] = splitTarget(request.url)
  if (!masker.holdsSecret(query)) return { ...request, headers }
  const isHarmless = ([name, value]: [string, Query[string]]): boolean =>
    ![name, value].flat().some(text => text !== null && masker.holdsSecret(text))
  return withQuery({ ...request, headers }, query =>
    Object.fromEntries(Object.entries(query).filter(isHarmless)),
  )
}

/** `https://user:password@host` is Basic authentication written short. */
export const withUserInfo = (request: OutgoingRequest): OutgoingRequest => {
  const { headers, url } = request
  const isSigned = Object.keys(headers).some(name => name.toLowerCase() === 'authorization')
  if (url.userInfo === undefined || isSigned) return request
  const basic = `Basic ${Buffer.from(url.userInfo).toString('base64')}`
  return { ...request, headers: setHeader(headers, 'Authorization', basic) }
}
