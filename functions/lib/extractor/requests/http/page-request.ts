import type { Json } from '#lib/json/json-value.ts'

export type Params = Record<string, Json> | Json[]

/** Sent in place of a body that is made from params, which then go where it names them, or into the query. */
export type RequestBody =
  | { text: string; contentType: string }
  | { json: Json }
  | { form: Record<string, Json> }

/** What a job, a default, a login or a scroll request says about a request, before it becomes an address and a body. */
export interface RequestOptions {
  endpoint?: string | undefined
  body?: RequestBody | undefined
  params?: Params | undefined
  /** Names that an address has more than once; so they go out. */
  repeated?: string[] | undefined
  method?: 'GET' | 'POST' | 'FORM' | undefined
  headers?: Record<string, Json> | undefined
}

/** The request for one page. Plain JSON, so that a checkpoint can hold it. */
export interface PageRequest {
  /** Relative to the base address, root-relative or absolute; may carry a query of its own. */
  endpoint: string
  method: 'GET' | 'POST' | 'FORM'
  params: Params
  headers: Record<string, Json>
  body?: RequestBody
  repeated?: string[] | undefined
  /** What the paginator has to remember from this page to the next, such as the offset; of several values an object. */
  position?: Json
  /** Of a request without an answer so far. */
  tries?: Tries | undefined
}

/** How often a request was sent for nothing. */
export interface Tries {
  retries: number
  /** Seconds. */
  waited: number
  /** When it may be sent again, in seconds since 1970. */
  notBefore: number
}
