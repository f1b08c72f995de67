import type { Json, JsonObject } from '#lib/json/json-value.ts'

/** A stream of a foreign configuration, on the way to a job. */
export interface ImportedStream {
  name: string
  /** Of several jobs that one stream becomes, which one: from 1. Their rows go to one table. */
  part?: number | undefined
  /** Where it is not the name. */
  table?: string | undefined
  /** Where it stands in the foreign configuration. */
  path: string
  /** Absolute, or relative to the base address; parts that come from a parent row as `{name}`. */
  endpoint: string
  method: 'GET' | 'POST' | 'FORM'
  params: JsonObject
  headers: JsonObject
  /** `body` of the job: params are its query then. */
  body?: JsonObject | undefined
  /** `dataField` of the job; nothing: the whole answer. */
  items: string | { path: string; delimiter: string } | undefined
  primaryKey: string[]
  pagination: JsonObject | undefined
  response?: JsonObject | undefined
  incremental?: TimeCursor | undefined
  records?: JsonObject[] | undefined
  errorRules?: JsonObject[] | undefined
  /** Where it is not that of the source; `false`: none. */
  authentication?: JsonObject | false | undefined
  /** It is read for each row of this stream. `placeholders` of the endpoint to paths in that row. */
  parent?: { name: string; placeholders: JsonObject; isDependent?: boolean } | undefined
}

/** Reading by the last change. */
export interface TimeCursor {
  cursor: string
  /** The tool knows only times here. Without it: by what `start` looks like. */
  isTime?: boolean | undefined
  /** The tool drops rows from before by itself. */
  isByRows?: boolean | undefined
  param?: string | undefined
  until?: string | undefined
  start?: Json | undefined
  end?: Json | undefined
  step?: string | undefined
  lookback?: string | undefined
  granularity?: string | undefined
  format?: string | undefined
}

export interface ImportedSource {
  baseUrl: Json
  authentication: JsonObject | undefined
  /** Of `config`: what expressions read, secrets under names with `#`. */
  attributes: Record<string, Json>
  headers: JsonObject
  limits?: JsonObject
  retryConfig: JsonObject
  streams: ImportedStream[]
}
