import type { Json } from '../tables/json-value.ts'
import { isObject } from './php-values.ts'

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
  const result: Record<string, Json> = Object.fromEntries(Object.entries(base))
  for (const [key, value] of Object.entries(over)) {
    result[key] = replaceRecursive(Object.hasOwn(result, key) ? result[key] : undefined, value)
  }
  return result
}

const isContainer = (value: unknown): value is Record<string, Json> | Json[] =>
  isObject(value) || Array.isArray(value)
