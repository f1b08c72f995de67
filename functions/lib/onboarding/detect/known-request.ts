import type { Json, JsonObject } from '#lib/json/json-value.ts'

/** A request that its author knows to work, taken apart. */
export interface KnownRequest {
  method: 'GET' | 'POST'
  /** Without query, fragment and credentials. */
  url: URL
  query: Record<string, string>
  /** As they were written; no two differ in case alone. */
  headers: Record<string, string>
  body?: { kind: 'json'; value: JsonObject | Json[] } | { kind: 'form'; fields: Record<string, string> }
  /** Of Basic authentication. */
  user?: { name: string; password: string }
}

/** The names of headers are not told apart by case. */
export const headerOf = (headers: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.entries(headers).find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1]
