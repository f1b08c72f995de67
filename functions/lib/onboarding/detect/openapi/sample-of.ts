import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { isMoreName, isOffsetName, isPageName, isTotalName } from '../paging-names.ts'
import type { OpenApiDocument } from './document.ts'

/** Schemas may hold themselves, and be made of others without end. */
const DEEPEST = 6
const MOST_PARTS = 10_000

/**
 * An answer that a schema allows, with two items in each list: what looks at answers of an API can look at it. Values are
 * such that paging is seen: more rows follow, counts are large, numbers of pages are the first.
 */
export const sampleOf = (
  schema: Json | undefined,
  document: OpenApiDocument,
  name = '',
  number = 1,
): Json => {
  let walked = 0
  const walk = (given: Json | undefined, key: string, index: number, depth: number, made = 0): Json => {
    if (++walked > MOST_PARTS || made > DEEPEST) return null
    const found = document.follow(given)
    const [variant] = ['oneOf', 'anyOf']
      .map(kind => found[kind])
      .filter(Array.isArray)
      .flat()
    const parts = Array.isArray(found['allOf']) ? found['allOf'] : []
    if (parts.length > 0 || variant !== undefined) {
      const all = [...parts, ...(variant === undefined ? [] : [variant])].map(part =>
        walk(part, key, index, depth, made + 1),
      )
      const own = isObject(found['properties']) ? properties(found, index, depth) : {}
      const objects = all.filter(isObject)
      return objects.length > 0 || Object.keys(own).length > 0
        ? Object.assign({}, ...objects, own)
        : (all[0] ?? null)
    }
    const type = [found['type']].flat().find(each => each !== 'null')
    if (type === 'array' || found['items'] !== undefined)
      return depth >= DEEPEST ? [] : [1, 2].map(each => walk(found['items'], key, each, depth + 1))
    if (type === 'object' || isObject(found['properties']))
      return depth >= DEEPEST ? {} : properties(found, index, depth)
    return scalarOf(found, type, key, index)
  }
  const properties = (found: JsonObject, index: number, depth: number): JsonObject =>
    Object.fromEntries(
      Object.entries((found['properties'] ?? {}) as JsonObject).map(([key, inner]) => [
        // an object, by its caller
        key,
        walk(inner, key, index, depth + 1),
      ]),
    )
  return walk(schema, name, number, 0)
}

const scalarOf = (schema: JsonObject, type: Json | undefined, name: string, number: number): Json => {
  if (type === 'boolean') return isMoreName(name)
  if (type === 'integer' || type === 'number')
    return isTotalName(name) ? 1_000_000 : isPageName(name) ? 1 : isOffsetName(name) ? 0 : number
  const format = String(schema['format'] ?? '')
  if (/date/.test(format)) return `2026-01-0${number}T00:00:00Z`
  if (/uri|url/.test(format) || /(url|uri|link|href)$/i.test(name))
    return `https://api.example.com/${name}/${number}`
  // A field `next` without a format: an example says whether it is an address
  const example = schema['example'] ?? (Array.isArray(schema['examples']) ? schema['examples'][0] : undefined)
  if (/next/i.test(name) && typeof example === 'string' && example !== '') return example
  return `${name}${number}`
}
