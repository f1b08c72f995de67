import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { resolveManifest } from '#lib/onboarding/import/airbyte/resolve-manifest.ts'
import { Report } from '#lib/onboarding/import/report.ts'

export interface PublicStream {
  name: string
  /** Of `streams` in the manifest. */
  index: number
  /** Resolved. */
  stream: JsonObject
  hasCode: boolean
}

/** Streams of a manifest, its references followed; of those that differ in nothing but names and fields the first. */
export const streamsOf = (manifest: JsonObject): PublicStream[] => {
  const resolved = resolveManifest(manifest, new Report())
  const seen = new Set<string>()
  return [resolved['streams'] ?? []]
    .flat()
    .filter(isObject)
    .map((stream, index) => ({
      name: String(stream['name'] ?? `streams.${index}`),
      stream,
      index,
      hasCode: /"class_name"/.test(JSON.stringify(stream)),
    }))
    .filter(({ stream }) => {
      const kind = kindOf(stream)
      return !seen.has(kind) && seen.add(kind) !== undefined
    })
}

const kindOf = (stream: JsonObject): string =>
  JSON.stringify(stream, (key, value: Json) =>
    ['name', 'path', 'primary_key', 'schema_loader', 'field_path', '$parameters', 'schema'].includes(key)
      ? isTemplate(value)
      : value,
  )

const isTemplate = (value: Json): boolean => JSON.stringify(value ?? null).includes('{{')

export const requesterOf = (stream: JsonObject): JsonObject => inner(inner(stream, 'retriever'), 'requester')

export const inner = (of: JsonObject, key: string): JsonObject => {
  const found = of[key]
  return isObject(found) ? found : {}
}

/** Parents of a stream, and theirs. */
export const parentsOf = (stream: JsonObject): { stream: JsonObject; keys: string[] }[] =>
  [inner(stream, 'retriever')['partition_router'] ?? []]
    .flat()
    .filter(isObject)
    .flatMap(router => [router['parent_stream_configs'] ?? []].flat().filter(isObject))
    .flatMap(config => {
      const parent = inner(config, 'stream')
      const keys = [
        config['parent_key'] ?? 'id',
        ...[config['extra_fields'] ?? []].flat().map(key => [key].flat().join('.')),
      ]
      return [
        { stream: parent, keys: keys.map(key => String(key).replaceAll('/', '.')) },
        ...parentsOf(parent),
      ]
    })
