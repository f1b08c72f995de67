import { JsonNumber } from '#lib/json/json-number.ts'
import type { Json } from '#lib/json/json-value.ts'
import { toText } from './php-values.ts'

/** A query as names and texts in order; a name that occurs twice has a list, a name without `=` has null. */
export type Query = Record<string, string | null | (string | null)[]>

/** Reads a query as Generic Extractor does, without limits of its own (docs/decisions/0011-readers-of-our-own.md). */
export const parseQuery = (text: string): Query => {
  const query: Query = Object.create(null) // a parameter may be named `__proto__`
  for (const pair of text.replace(/^\?/, '').split('&')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const name = urlDecode(at < 0 ? pair : pair.slice(0, at))
    const value = at < 0 ? null : urlDecode(pair.slice(at + 1))
    const before = Object.hasOwn(query, name) ? query[name] : undefined
    query[name] = before === undefined ? value : Array.isArray(before) ? [...before, value] : [before, value]
  }
  return query
}

/** RFC 3986 encoded, lists as repeated names. */
export const formatQuery = (query: Query): string =>
  Object.entries(query)
    .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map(text => [name, text] as const))
    .map(([name, text]) =>
      text === null ? rawUrlEncode(name) : `${rawUrlEncode(name)}=${rawUrlEncode(text)}`,
    )
    .join('&')

/** Query values replace same-named ones where they stand; new names follow (authentication types query and oauth20). */
export const replaceInQuery = (query: Query, values: Readonly<Record<string, Json>>): Query => {
  const result: Query = Object.assign(Object.create(null), query)
  for (const [name, value] of Object.entries(values)) result[name] = toQueryValue(value)
  return result
}

/**
 * Adds login values (docs/reference/extractor-authentication.md#login): a name that is already there leaves its place and comes back
 * behind the new names as `name[0]` (the request's value) and `name[1]` (the login's); equal values leave `name[0]`
 * alone.
 */
export const addLoginQuery = (query: Query, values: Readonly<Record<string, Json>>): Query => {
  const clashing = Object.keys(values).filter(name => Object.hasOwn(query, name))
  const result: Query = Object.fromEntries(Object.entries(query).filter(([name]) => !clashing.includes(name)))
  for (const [name, value] of Object.entries(values)) {
    if (!clashing.includes(name)) result[name] = toQueryValue(value)
  }
  for (const name of clashing) {
    const all = [query[name] ?? null, toQueryValue(values[name] ?? null)].flat()
    for (const [index, value] of [...new Set(all)].entries()) result[`${name}[${index}]`] = value
  }
  return result
}

const toQueryValue = (value: Json): string | string[] | null => {
  if (Array.isArray(value)) return value.map(item => (item === false ? '0' : toText(item)))
  return value === null ? null : value === false ? '0' : toText(value)
}

/**
 * `application/x-www-form-urlencoded` as PHP's `http_build_query` writes it: nested values as `a[b]`, true `1`,
 * false `0`, null left out (`lists`: `repeat` gives lists one name), blank `+`, and only letters, digits, `-`, `_` and `.` unescaped.
 */
export const formEncode = (
  params: Readonly<Record<string, Json>> | readonly Json[],
  lists: 'indexed' | 'repeat' = 'indexed',
): string => [...pairs(params, '', lists)].map(([name, value]) => `${name}=${urlEncode(value)}`).join('&')

/** The names as they go on the wire, each with its text. */
function* pairs(values: object, prefix: string, lists: 'indexed' | 'repeat'): Generator<[string, string]> {
  for (const [key, value] of Object.entries(values) as [string, Json][]) {
    // own members of a JSON container
    const isRepeated = lists === 'repeat' && prefix !== '' && Array.isArray(values)
    const name = isRepeated ? prefix : prefix === '' ? urlEncode(key) : `${prefix}%5B${urlEncode(key)}%5D`
    if (value === null || value === undefined) continue
    if (typeof value === 'object' && !(value instanceof JsonNumber)) yield* pairs(value, name, lists)
    else yield [name, value === false ? '0' : toText(value)]
  }
}

/** PHP `urlencode`. */
export const urlEncode = (text: string): string =>
  encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*~]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')

/** RFC 3986 percent encoding: PHP `rawurlencode`. */
export const rawUrlEncode = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** Undoes either encoding; bytes that are no UTF-8 and stray percent signs stay as they are. */
export const urlDecode = (text: string): string => {
  const spaced = text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced.replace(/(?:%[0-9a-f]{2})+/gi, run => {
      try {
        return decodeURIComponent(run)
      } catch {
        return run
      }
    })
  }
}
