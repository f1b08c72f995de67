import { isContainer } from './json/json-value.ts'

/**
 * How deep settings may be nested: requests, configurations, parameters. Whatever walks through them later may be
 * recursive, since nothing deeper comes in.
 */
export const MAX_JSON_DEPTH = 64

/** Whether a JSON value is nested deeper than that. Walked level by level: a recursive walk is what a deep value breaks. */
export const isTooDeep = (value: unknown): boolean => {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_JSON_DEPTH) return true
    level = level.flatMap(item => (isContainer(item) ? Object.values(item) : []))
  }
  return false
}

/** Whether an object in a JSON value, which is not too deep, has this key. */
export const hasKey = (value: unknown, key: string): boolean =>
  isContainer(value) && (Object.hasOwn(value, key) || Object.values(value).some(inner => hasKey(inner, key)))
