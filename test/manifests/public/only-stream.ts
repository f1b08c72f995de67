import { valueAtKeys } from '#lib/extractor/values/select/json-path.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'

/** A manifest with one of its streams, and of what it defines only what that one refers to: the runtime reads all that there is. */
export const onlyStream = (manifest: JsonObject, index: number): JsonObject => {
  const stream = [manifest['streams'] ?? []].flat()[index] ?? null
  const { definitions: _, dynamic_streams: __, streams: ___, ...others } = manifest
  const kept: JsonObject = { ...others, streams: [stream] }
  const seen = new Set<string>()
  const follow = (value: Json): void => {
    if (typeof value === 'string' && /^#\/\w/.test(value)) keep(value)
    else if (Array.isArray(value)) value.forEach(follow)
    else if (isObject(value)) Object.values(value).forEach(follow)
  }
  const keep = (reference: string): void => {
    if (seen.has(reference)) return
    seen.add(reference)
    const keys = reference.slice(2).split('/')
    const found = valueAtKeys(keys, manifest)
    if (found === undefined) return
    put(kept, keys, manifest, found)
    follow(found)
  }
  follow(stream)
  return kept
}

/** Lists stay whole: others refer to places in them. */
const put = (into: JsonObject, keys: readonly string[], from: Json, value: Json): void => {
  let [at, of] = [into, from]
  for (const key of keys.slice(0, -1)) {
    of = isObject(of) ? (of[key] ?? null) : null
    if (!isObject(of)) {
      at[key] = of
      return
    }
    if (!isObject(at[key])) at[key] = {}
    at = at[key] as JsonObject // just made
  }
  const last = keys.at(-1) ?? ''
  // What is there already is a part of it
  at[last] = value
}
