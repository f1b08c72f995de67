import { isObject } from '../../json/json-value.ts'
import { objectOf } from '../../json/key-order.ts'

type JsonObject = Record<string, unknown>

/**
 * Merges root and row into one configuration (docs/reference/storage-api.md#how-rows-run). Objects are merged key by
 * key. For anything else, lists included, the row's value replaces the root's.
 */
export const mergeConfiguration = (root: JsonObject, row: JsonObject): JsonObject => {
  const merged = new Map(Object.entries(root))
  for (const [key, value] of Object.entries(row)) {
    const base = merged.get(key)
    merged.set(key, isObject(base) && isObject(value) ? mergeConfiguration(base, value) : value)
  }
  return objectOf(merged)
}

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
