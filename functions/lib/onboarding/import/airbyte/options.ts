import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { expressionOf, type Scope } from './values.ts'

/** Where a request carries a value: `request_option` and the like. `name` is that of the param here. */
export interface RequestOption {
  place: 'query' | 'json' | 'form' | 'header' | 'path'
  /** Names from the outside in. */
  keys: string[]
  name: string
}

const places: Readonly<Record<string, RequestOption['place']>> = {
  request_parameter: 'query',
  body_json: 'json',
  body_data: 'form',
  header: 'header',
  path: 'path',
}

export const requestOption = (
  given: Json | undefined,
  path: string,
  scope: Scope,
): RequestOption | undefined => {
  if (!isObject(given)) return undefined
  if (given['type'] === 'RequestPath') return { place: 'path', keys: [], name: '' }
  const place = places[String(given['inject_into'])]
  const keys = [given['field_path'] ?? given['field_name'] ?? []]
    .flat()
    .map(key => expressionOf(key, `${path}.field_name`, scope, 'rows'))
  if (place === undefined || keys.some(key => typeof key !== 'string')) {
    scope.report.lost(path, `a value in ${String(given['inject_into'])} is not sent`, 'rows')
    return undefined
  }
  return { place, keys: keys.map(String), name: keys.map(String).join('.') }
}

export const withValue = (
  body: JsonObject,
  [key = '', ...others]: readonly string[],
  value: Json,
): JsonObject => {
  const inner = body[key]
  return {
    ...body,
    [key]: others.length === 0 ? value : withValue(isObject(inner) ? inner : {}, others, value),
  }
}
