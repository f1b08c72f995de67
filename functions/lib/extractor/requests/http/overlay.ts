import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { objectOf } from '#lib/json/key-order.ts'
import type { PageRequest, Params, RequestOptions } from './page-request.ts'

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

const isContainer = (value: unknown): value is Record<string, Json> | Json[] =>
  isObject(value) || Array.isArray(value)
