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
