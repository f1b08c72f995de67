import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { firstDay } from './settings-of-spec.ts'

/** Rows of a full page. Their numbers in public manifests would make tests of hundreds of rows. */
export const PAGE = 3

/**
 * A public manifest as it can be read here: its addresses lead to `origin`, pages are small, reading begins some days ago, and schemas,
 * which are in files of the connector, are open.
 */
export const placedManifest = (manifest: JsonObject, origin: string): JsonObject => {
  const place = (value: Json, key: string): Json => {
    if (key === 'spec' || key === 'schemas') return value
    if (key === 'concurrency_level') return { type: 'ConcurrencyLevel', default_concurrency: 2 }
    if (key === 'schema_loader') return { type: 'InlineSchemaLoader', schema: {} }
    if (key === 'page_size' && typeof value === 'number') return PAGE
    if (key === 'stop_condition')
      return String(value).replace(/(last_page_size|length)\s*([<=!]+)\s*\d+/g, `$1 $2 ${PAGE}`)
    if (typeof value === 'string') {
      if (/^(start_datetime|datetime)$/.test(key)) return value.replace(/^\d{4}-\d\d-\d\d/, firstDay())
      return value.replaceAll(/https?:\/\//g, `${origin}/`)
    }
    if (Array.isArray(value)) return value.map(item => place(item, key))
    if (!isObject(value)) return value
    // As connectors wrote it before there was a type for it
    if (value['type'] === 'RequestOption' && value['inject_into'] === 'path') return { type: 'RequestPath' }
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, place(inner, name)]))
  }
  return place(manifest, '') as JsonObject // an object stays one
}
