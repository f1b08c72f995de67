import { isObject } from '../../json/json-value.ts'
import { objectOf } from '../../json/key-order.ts'

/**
 * Applies a JSON merge patch (RFC 7396): objects are merged, `null` removes, anything else replaces. Changes neither
 * value. Keys keep their order and are always data, whatever their names.
 */
export const mergePatch = (target: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return patch
  const merged = new Map<string, unknown>(isObject(target) ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key)
    else merged.set(key, mergePatch(merged.get(key), value))
  }
  return objectOf(merged)
}
