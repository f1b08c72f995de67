import { isScalar } from './cell.ts'
import type { Json } from './json-value.ts'

/**
 * The value at a path such as `a.0.b`; `undefined` when something on the way is missing.
 * An empty path, `'0'` and a path of the delimiter alone mean the value itself, as in Generic Extractor.
 */
export function valueAtPath(value: Json, path: string, delimiter: string): Json | undefined {
  if (path === '' || path === '0' || path === delimiter) return value
  let current: Json | undefined = value
  for (const key of path.split(delimiter)) {
    if (typeof current !== 'object' || current === null || isScalar(current)) return undefined
    if (Array.isArray(current)) current = /^(0|[1-9]\d*)$/.test(key) ? current[Number(key)] : undefined
    else current = Object.hasOwn(current, key) ? current[key] : undefined
  }
  return current
}
