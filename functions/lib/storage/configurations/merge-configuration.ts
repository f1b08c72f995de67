type JsonObject = Record<string, unknown>

/**
 * Merges root and row into one configuration (docs/reference/storage-api.md#how-rows-run). Objects are merged key by
 * key. For anything else, lists included, the row's value replaces the root's.
 */
export const mergeConfiguration = (root: JsonObject, row: JsonObject): JsonObject => {
  const merged: JsonObject = { ...root }
  for (const [key, value] of Object.entries(row)) {
    const base = Object.hasOwn(root, key) ? root[key] : undefined
    const both = isObject(base) && isObject(value) ? mergeConfiguration(base, value) : value
    // In JSON `__proto__` is a key like any other.
    Object.defineProperty(merged, key, { value: both, enumerable: true, writable: true, configurable: true })
  }
  return merged
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
