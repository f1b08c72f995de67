import { JsonNumber } from '../php/json-number.ts'
import type { Json } from '../tables/json-value.ts'

/**
 * The value at a path of keys and list positions joined by `delimiter`; `.` alone (or an empty path) is the value
 * itself. A missing value and a null are both `undefined`: no rule of the format tells them apart.
 */
export const valueAt = (path: string, value: Json | undefined, delimiter = '.'): Json | undefined => {
  let found = value
  for (const key of keysOf(path, delimiter)) {
    if (typeof found !== 'object' || found === null || found instanceof JsonNumber) return undefined
    if (!Object.hasOwn(found, key)) return undefined
    found = (found as Record<string, Json>)[key] // own property, tested in the line above; lists go by position
  }
  return found ?? undefined
}

/** The steps of a path, without empty ones at its ends. */
export const keysOf = (path: string, delimiter = '.'): string[] => {
  let trimmed = path
  while (delimiter !== '' && trimmed.startsWith(delimiter)) trimmed = trimmed.slice(delimiter.length)
  while (delimiter !== '' && trimmed.endsWith(delimiter)) trimmed = trimmed.slice(0, -delimiter.length)
  return trimmed === '' ? [] : delimiter === '' ? [trimmed] : trimmed.split(delimiter)
}
