import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import type { ImportedStream } from '../imported-source.ts'
import { literalOf } from '../translate.ts'
import { type RequestOption, withValue } from './options.ts'
import { expressionOf, expressionsOf, type Scope } from './values.ts'

type Request = Pick<ImportedStream, 'method' | 'params' | 'headers' | 'body'>

interface Options {
  /** Sent with every request. */
  values: readonly { option: RequestOption; value: Json }[]
  /** Sent by pages and windows, under these names. */
  named: readonly RequestOption[]
  /** The next page has an address, to which params are not sent again, but the body is. */
  isByAddress: boolean
}

/** What the requests of a stream carry, each where the manifest puts it. */
export const requestOf = (
  requester: JsonObject,
  path: string,
  scope: Scope,
  { values, named, isByAddress }: Options,
): Request => {
  const verb = String(
    expressionOf(requester['http_method'] ?? 'GET', `${path}.http_method`, scope) ?? 'GET',
  ).toUpperCase()
  if (verb !== 'GET' && verb !== 'POST')
    scope.report.lost(`${path}.http_method`, `the method ${verb}: POST is sent`, 'rows')
  const params = expressionsOf(requester['request_parameters'] ?? {}, `${path}.request_parameters`, scope)
  const headers = expressionsOf(requester['request_headers'] ?? {}, `${path}.request_headers`, scope)
  const given = bodyOf(requester, path, scope)
  let body = given?.value
  let kind = given?.kind
  const put = (place: RequestOption['place'], keys: readonly string[], value: Json): void => {
    if (place === 'query') params[keys.join('.')] = value
    if (place === 'header') headers[keys.join('.')] = value
    if (place !== 'json' && place !== 'form') return
    kind ??= place
    body = withValue(isObject(body) ? body : {}, keys, value)
  }
  const isFlat =
    !isByAddress &&
    named.every(({ place, keys }) => (place === 'json' || place === 'form') && keys.length === 1)
  for (const { option, value } of values) put(option.place, option.keys, value)
  // A GET may have a body, too: of it comes nothing while no page and no window is in it
  if (verb === 'GET')
    kind ??= named.find(({ place }) => place === 'json' || place === 'form')?.place as typeof kind
  if (verb === 'GET' && kind === undefined) return { method: 'GET', params, headers }
  // All of it in the body: params are that
  if (verb !== 'GET' && isObject(body) && isFlat && kind !== 'text' && Object.keys(params).length === 0)
    return { method: kind === 'form' ? 'FORM' : 'POST', params: body, headers }
  for (const { place, keys, name } of named)
    if (place === 'json' || place === 'form') put(place, keys, `{${name}}`)
  const method = verb === 'GET' ? 'GET' : 'POST'
  if (kind === undefined) return { method: 'GET', params, headers, body: { text: '' } }
  return {
    method: 'GET',
    params,
    headers,
    body: { [kind]: body ?? null, ...(method === 'GET' ? { method } : {}) },
  }
}

const bodyOf = (
  requester: JsonObject,
  path: string,
  scope: Scope,
): { kind: 'json' | 'form' | 'text'; value: Json } | undefined => {
  const own = isObject(requester['request_body']) ? requester['request_body'] : {}
  const json = own['type'] === undefined || !/Form|Plain/.test(String(own['type'])) ? own['value'] : undefined
  const form = /Form/.test(String(own['type'])) ? own['value'] : undefined
  const text = /Plain/.test(String(own['type'])) ? own['value'] : undefined
  const asJson = json ?? requester['request_body_json']
  const asForm = form ?? requester['request_body_data']
  if (asJson !== undefined && asJson !== null) {
    const at = `${path}.request_body_json`
    const value = isObject(asJson)
      ? (literals(expressionsOf(asJson, at, scope)) as JsonObject) // an object stays one
      : expressionOf(asJson, at, scope, 'rows')
    return isNothing(value) ? undefined : { kind: 'json', value: value ?? {} }
  }
  if (isObject(asForm) && isNothing(asForm)) return undefined
  if (isObject(asForm))
    return { kind: 'form', value: expressionsOf(asForm, `${path}.request_body_data`, scope) }
  const plain = text ?? asForm
  if (plain === undefined || plain === null) return undefined
  return { kind: 'text', value: expressionOf(plain, `${path}.request_body_data`, scope, 'rows') ?? '' }
}

/** Connectors send no body for an empty one. */
const isNothing = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (isObject(value) && Object.keys(value).length === 0)

/** In a body of JSON texts are what they are written as, too: `"5"` is a number. */
const literals = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(literals)
  if (!isObject(value)) return literalOf(value)
  if ('expr' in value) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, literals(inner)]))
}
