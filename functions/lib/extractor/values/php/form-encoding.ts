import { JsonNumber } from '#lib/json/json-number.ts'
import type { Json } from '#lib/json/json-value.ts'
import { toText } from './php-values.ts'

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
