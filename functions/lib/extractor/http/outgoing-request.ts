import { UserError } from '../../errors/errors.ts'
import { formEncode } from '../php/form-encoding.ts'
import { JsonNumber } from '../php/json-number.ts'
import { phpJsonEncode } from '../php/php-json-encode.ts'
import { isObject, toText } from '../php/php-values.ts'
import type { Json } from '../tables/json-value.ts'
import { buildEndpoint } from './build-endpoint.ts'
import { fillText } from './fill-text.ts'
import type { PageRequest } from './page-request.ts'
import { type HttpUrl, resolveUrl } from './resolve-url.ts'

/** Header names as written; looked up without regard to case. */
export type Headers = Record<string, string | string[]>

/** A request as it goes on the wire. */
export interface OutgoingRequest {
  method: 'GET' | 'POST'
  url: HttpUrl
  headers: Headers
  body: string | undefined
  /** It without what authentication adds; of pages, and only where credentials may go. */
  unsigned?: OutgoingRequest
}

/**
 * GET sends params in the query, POST as a JSON body, FORM as an urlencoded body; a job may give the body as text
 * (docs/reference/extractor-jobs.md#requests).
 */
export const toOutgoing = (
  request: PageRequest,
  baseUrl: string,
  defaultHeaders: Headers,
  options: { compat?: boolean } = {},
): OutgoingRequest => {
  const headers = withDefaults(checkHeaders(request.headers), defaultHeaders)
  if (request.method === 'GET') {
    const url = resolveUrl(baseUrl, buildEndpoint(request.endpoint, request.params))
    return { method: 'GET', url, headers, body: undefined }
  }
  if (request.method === 'POST' && request.body !== undefined)
    return textPost(request, request.body, baseUrl, headers)
  const isEmpty = Object.keys(request.params).length === 0
  const [type, body] =
    request.method === 'POST'
      ? [
          'application/json',
          isEmpty
            ? '[]'
            : phpJsonEncode(options.compat === true ? emptyAsLists(request.params) : request.params, true),
        ]
      : ['application/x-www-form-urlencoded', formEncode(request.params)]
  return {
    method: 'POST',
    url: resolveUrl(baseUrl, request.endpoint),
    headers: setHeader(headers, 'Content-Type', type ?? ''),
    body: body ?? '',
  }
}

/** Params that the text names go there, the others into the query. */
const textPost = (
  { endpoint, params }: PageRequest,
  { text, contentType }: NonNullable<PageRequest['body']>,
  baseUrl: string,
  headers: Headers,
): OutgoingRequest => {
  const values: Record<string, Json> = Object.fromEntries(Object.entries(params))
  const { text: body, used } = fillText(text, values)
  const others = Object.fromEntries(Object.entries(values).filter(([name]) => !used.has(name)))
  const url = resolveUrl(baseUrl, buildEndpoint(endpoint, others))
  return { method: 'POST', url, headers: setHeader(headers, 'Content-Type', contentType), body }
}

/** Generic Extractor reads `{}` as `[]`, and sends `[]`. */
const emptyAsLists = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(emptyAsLists)
  if (!isObject(value)) return value
  const members = Object.entries(value)
  return members.length === 0
    ? []
    : Object.fromEntries(members.map(([key, inner]) => [key, emptyAsLists(inner)]))
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
