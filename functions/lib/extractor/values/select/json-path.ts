import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'

/**
 * The value at a path of keys and list positions joined by `delimiter`; `.` alone (or an empty path) is the value
 * itself. A missing value and a null are both `undefined`: no rule of the format distinguishes them.
 */
export const valueAt = (path: string, value: Json | undefined, delimiter = '.'): Json | undefined =>
  valueAtKeys(keysOf(path, delimiter), value)

export const valueAtKeys = (keys: readonly string[], value: Json | undefined): Json | undefined => {
  let found = value
  for (const key of keys) {
    if (Array.isArray(found)) found = position.test(key) ? found[Number(key)] : undefined
    else if (isObject(found)) found = Object.hasOwn(found, key) ? found[key] : undefined
    else return undefined
  }
  return found ?? undefined
}

/** Not `length`, which a list has too. */
const position = /^(0|[1-9]\d*)$/

/** The steps of a path, without empty ones at its ends. */
export const keysOf = (path: string, delimiter = '.'): string[] => {
  let trimmed = path
  while (delimiter !== '' && trimmed.startsWith(delimiter)) trimmed = trimmed.slice(delimiter.length)
  while (delimiter !== '' && trimmed.endsWith(delimiter)) trimmed = trimmed.slice(0, -delimiter.length)
  return trimmed === '' ? [] : delimiter === '' ? [trimmed] : trimmed.split(delimiter)
}
