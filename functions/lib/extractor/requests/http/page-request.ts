import { isContainer, isObject, type Json } from '#lib/json/json-value.ts'
import { objectOf } from '#lib/json/key-order.ts'
import { toText } from '../../values/php/php-values.ts'

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

/** `over` laid on `base`: endpoint and method replaced, params and headers merged at any depth. */
export const overlay = (base: RequestOptions, over: RequestOptions): RequestOptions => ({
  endpoint: over.endpoint ?? base.endpoint,
  method: over.method ?? base.method,
  params: mergeParams(base.params, over.params),
  headers: { ...base.headers, ...over.headers },
  body: over.body ?? base.body,
  repeated: over.repeated,
})

/** A complete request from its options: job values lie over the defaults (docs/reference/extractor-jobs.md#requests). */
export const complete = (options: RequestOptions, position?: Json): PageRequest => ({
  endpoint: options.endpoint ?? '',
  method: options.method ?? 'GET',
  params: options.params ?? {},
  headers: options.headers ?? {},
  ...(options.body === undefined ? {} : { body: options.body }),
  ...(options.repeated?.length && { repeated: options.repeated }),
  ...(position === undefined ? {} : { position }),
})

const mergeParams = (base: Params | undefined, over: Params | undefined): Params => {
  if (base === undefined || isEmptyParams(base)) return over ?? {}
  if (over === undefined || isEmptyParams(over)) return base
  return replaceRecursive(base, over) as Params // two containers give a container
}

const isEmptyParams = (params: Params): boolean => Object.keys(params).length === 0

/**
 * Lays `over` on `base` key by key, at any depth; lists are laid position by position. Keys keep the place they have in
 * `base`, new ones follow. This is how defaults lie under a job and a scroll request lies over it.
 */
export const replaceRecursive = (base: Json | undefined, over: Json | undefined): Json => {
  if (over === undefined) return base ?? null
  if (Array.isArray(base) && Array.isArray(over)) {
    return Array.from({ length: Math.max(base.length, over.length) }, (_, index) =>
      index in over ? replaceRecursive(base[index], over[index]) : (base[index] ?? null),
    )
  }
  if (!isContainer(base) || !isContainer(over)) return over
  const result = new Map<string, Json>(Object.entries(base))
  for (const [key, value] of Object.entries(over)) result.set(key, replaceRecursive(result.get(key), value))
  return objectOf(result)
}

/** `{name}` becomes the value of that name, as it is; `used` are the names that the text has. */
export const fillText = (
  text: string,
  values: Readonly<Record<string, Json>>,
): { text: string; used: Set<string> } => {
  const used = new Set<string>()
  const filled = text.replace(/\{([^{}\s]+)\}/g, (written, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined || Array.isArray(value) || isObject(value)) return written
    used.add(name)
    return toText(value)
  })
  return { text: filled, used }
}
