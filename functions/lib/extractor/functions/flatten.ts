import { JsonNumber } from '../php/json-number.ts'
import type { Json } from '../tables/json-value.ts'

/** Cached: all expressions read the same objects, which never change. */
const flattened = new WeakMap<object, ReadonlyMap<string, Json>>()

/** Leaves by path: keys and list positions joined with dots. Empty lists and objects have no leaf. */
export const flatten = (value: Json): ReadonlyMap<string, Json> => {
  if (typeof value !== 'object' || value === null) return leavesOf(value)
  const leaves = flattened.get(value) ?? leavesOf(value)
  flattened.set(value, leaves)
  return leaves
}

const leavesOf = (value: Json): ReadonlyMap<string, Json> => {
  const leaves = new Map<string, Json>()
  const walk = (current: Json, path: string): void => {
    if (typeof current !== 'object' || current === null || current instanceof JsonNumber) {
      leaves.set(path, current)
      return
    }
    for (const [key, inner] of Object.entries(current)) walk(inner, path === '' ? key : `${path}.${key}`)
  }
  walk(value, '')
  return leaves
}
