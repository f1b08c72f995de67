import { replaceRecursive } from '../php/replace-recursive.ts'
import type { Json } from '../tables/json-value.ts'
import type { PageRequest, Params, RequestOptions } from './page-request.ts'

/** `over` laid on `base`: endpoint and method replaced, params and headers merged at any depth. */
export const overlay = (base: RequestOptions, over: RequestOptions): RequestOptions => ({
  endpoint: over.endpoint ?? base.endpoint,
  method: over.method ?? base.method,
  params: mergeParams(base.params, over.params),
  headers: { ...base.headers, ...over.headers },
  body: over.body ?? base.body,
})

/** A complete request from its options: job values lie over the defaults (docs/reference/extractor-jobs.md#requests). */
export const complete = (options: RequestOptions, position?: Json): PageRequest => ({
  endpoint: options.endpoint ?? '',
  method: options.method ?? 'GET',
  params: options.params ?? {},
  headers: options.headers ?? {},
  ...(options.body === undefined ? {} : { body: options.body }),
  ...(position === undefined ? {} : { position }),
})

const mergeParams = (base: Params | undefined, over: Params | undefined): Params => {
  if (base === undefined || isEmptyParams(base)) return over ?? {}
  if (over === undefined || isEmptyParams(over)) return base
  return replaceRecursive(base, over) as Params // two containers give a container
}

const isEmptyParams = (params: Params): boolean => Object.keys(params).length === 0
