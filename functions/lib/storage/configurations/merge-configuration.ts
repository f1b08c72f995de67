type JsonObject = Record<string, unknown>

/**
 * Root and row as one configuration (docs/reference/storage-api.md#how-rows-run): objects are merged key by key,
 * anything else (lists too) is the row's where the row has it.
 */
export const mergeConfiguration = (root: JsonObject, row: JsonObject): JsonObject => {
  const merged: JsonObject = { ...root }
  for (const [key, value] of Object.entries(row)) {
    const base = Object.hasOwn(root, key) ? root[key] : undefined
    const both = isObject(base) && isObject(value) ? mergeConfiguration(base, value) : value
    // `__proto__` is a key like any other in JSON.
    Object.defineProperty(merged, key, { value: both, enumerable: true, writable: true, configurable: true })
  }
  return merged
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
