import type { JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'

/** How the API of a manifest gives its pages: what a request asks with, and what an answer tells. */
export type Pages = 'all' | 'page' | 'offset' | 'next' | 'last' | 'link' | 'address'

/** What the answers look like around their rows. */
export type Shape = 'data' | 'list' | 'nested' | 'star' | 'one' | 'lines' | 'csv'

/** One thing that manifests say, as public ones do. Two of different groups go together. */
export interface Feature {
  name: string
  /** Merged into the stream `s`. */
  stream?: JsonObject
  /** Merged into the manifest. */
  manifest?: JsonObject
  config?: JsonObject
  pages?: Pages
  shape?: Shape
  /** Number of the first page. */
  firstPage?: number
  /** Not in pairs: it waits, or the other one would not be seen. */
  isAlone?: boolean
  /** What is sent is another tomorrow. */
  isOfToday?: boolean
}

export type Groups = Readonly<Record<string, readonly Feature[]>>

/** What a feature adds to the requester. */
export const requester = (given: JsonObject): JsonObject => ({ retriever: { requester: given } })

/** The keys of both, deep; of two lists and of two values the second. Null takes a key away. */
export const merged = (one: JsonObject, other: JsonObject): JsonObject => {
  const all: JsonObject = { ...one }
  for (const [key, value] of Object.entries(other)) {
    const before = all[key]
    if (value === null) delete all[key]
    else all[key] = isObject(before) && isObject(value) ? merged(before, value) : value
  }
  return all
}

/** Parents log in as their children do, as in public manifests, which share a requester. */
const asOneLogin = (stream: JsonObject, above?: JsonObject): JsonObject => {
  const { retriever } = stream
  if (!isObject(retriever) || !isObject(retriever['requester'])) return stream
  const authenticator = retriever['requester']['authenticator'] ?? above
  if (!isObject(authenticator)) return stream
  const own = JSON.stringify(merged(stream, requester({ authenticator })))
  return JSON.parse(own, (key, value) => (key === 'stream' ? asOneLogin(value, authenticator) : value)) // JSON
}

/** `ORIGIN` in its texts is the address of the API. */
export const manifestOf = (features: readonly Feature[]): { manifest: JsonObject; config: JsonObject } => {
  const stream = features.reduce<JsonObject>((whole, { stream = {} }) => merged(whole, stream), {
    type: 'DeclarativeStream',
    name: 's',
    primary_key: 'id',
    schema_loader: { type: 'InlineSchemaLoader', schema: {} },
    retriever: {
      type: 'SimpleRetriever',
      requester: { type: 'HttpRequester', url_base: 'ORIGIN', path: '/s', http_method: 'GET' },
      record_selector: {
        type: 'RecordSelector',
        extractor: { type: 'DpathExtractor', field_path: ['data'] },
      },
    },
  })
  const manifest = features.reduce<JsonObject>((whole, one) => merged(whole, one.manifest ?? {}), {
    version: '6.0.0',
    type: 'DeclarativeSource',
    check: { type: 'CheckStream', stream_names: ['s'] },
    streams: [asOneLogin(stream)],
  })
  return { manifest, config: Object.assign({}, ...features.map(({ config }) => config)) }
}
