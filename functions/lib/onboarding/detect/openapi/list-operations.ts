import { isObject, type Json, type JsonObject } from '#lib/json/json-value.ts'
import { findFields } from '../item-fields.ts'
import { findItemList, toDataField } from '../item-list.ts'
import { guessPaging } from '../paging.ts'
import type { PagingGuess } from '../paging-guess.ts'
import { isLimitName, isMoreName, isOffsetName, isPageName, isTotalName } from '../paging-names.ts'
import type { OpenApiDocument } from './document.ts'

/** A GET that answers with a list. */
export interface ListOperation {
  path: string
  /** Of the path, in order. */
  placeholders: string[]
  dataField: Json
  id: string | undefined
  paging: PagingGuess | undefined
  params: Record<string, Json>
  why: string[]
}

/** Larger pages cost memory at the other side. */
const LARGEST_PAGE = 1000

/** The operations of a document that list something. `others`: what else there is, with the reason for leaving it out. */
export const listOperations = (
  document: OpenApiDocument,
): { lists: ListOperation[]; others: { path: string; why: string }[] } => {
  const { root, follow } = document
  const lists: ListOperation[] = []
  const others: { path: string; why: string }[] = []
  for (const [path, given] of Object.entries(follow(root['paths']))) {
    const item = follow(given)
    const operation = item['get']
    if (!isObject(operation)) {
      others.push({ path, why: 'it has no GET' })
      continue
    }
    const parameters = [item['parameters'], operation['parameters']].flat().map(follow)
    const list = listOf(path, operation, parameters, document)
    if (list === undefined) others.push({ path, why: 'no JSON list is among its answers' })
    else lists.push(list)
  }
  return { lists, others }
}

const listOf = (
  path: string,
  operation: JsonObject,
  parameters: readonly JsonObject[],
  document: OpenApiDocument,
): ListOperation | undefined => {
  const { follow } = document
  const responses = follow(operation['responses'])
  const code = Object.keys(responses).find(each => /^2(\d\d|XX)$/i.test(each)) ?? 'default'
  const response = follow(responses[code])
  const media = Object.entries(follow(response['content'])).find(([type]) => /\bjson\b/i.test(type))?.[1]
  if (media === undefined) return undefined
  const answer = sampleOf(follow(media)['schema'], document)
  const found = findItemList(answer, path)
  if (found === undefined || found.items.length === 0) return undefined

  const why = [
    found.keys.length === 0
      ? 'The answer is the list.'
      : `The schema has the list at "${found.keys.join('.')}".`,
  ]
  const query = parameters.filter(({ in: place }) => place === 'query')
  const asked = Object.fromEntries(query.map(one => [String(one['name']), valueOfParameter(one, document)]))
  const hasLink = Object.keys(follow(response['headers'])).some(name => /^link$/i.test(name))
  const [guess] = guessPaging({
    params: asked,
    method: 'GET',
    answer,
    items: found.items,
    itemKeys: found.keys,
    link: hasLink ? '<https://api.example.com/>; rel="next"' : undefined,
    total: undefined,
    isGraphql: false,
  })
  const paging = guess?.isHabit === true ? undefined : guess && withLimit(guess, asked)
  why.push(
    paging === undefined
      ? 'Nothing in it leads to another page.'
      : `${paging.why} Not proven: no request was sent.`,
  )

  const { id } = findFields(found.items)
  const params: Record<string, Json> = {}
  for (const one of query) {
    const name = String(one['name'])
    if (paging?.replaces.includes(name)) continue
    if (one['required'] === true) {
      params[name] = asked[name] ?? ''
      why.push(`The parameter "${name}" is required: check its value.`)
    } else if (isLimitName(name) && Number(asked[name]) > 1) params[name] = asked[name] ?? ''
  }
  return {
    path,
    placeholders: [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name),
    dataField: found.keys.length === 0 ? '' : toDataField(found.keys),
    id,
    paging,
    params,
    why,
  }
}

/** A value that the parameter may have: for sizes of pages the largest, else its default or example. */
const valueOfParameter = (parameter: JsonObject, { follow }: OpenApiDocument): Json => {
  const schema = follow(parameter['schema'])
  const given = schema['default'] ?? parameter['example'] ?? schema['example'] ?? [schema['enum']].flat()[0]
  if (isLimitName(String(parameter['name'])))
    return Math.min(Number(schema['maximum'] ?? given ?? 100) || 100, LARGEST_PAGE)
  return given ?? (schema['type'] === 'integer' ? 0 : '')
}

/** The two items of a sample say nothing about the size of a page. */
const withLimit = (guess: PagingGuess, asked: Readonly<Record<string, Json>>): PagingGuess => {
  const { limitParam } = guess.pagination
  const size = typeof limitParam === 'string' ? asked[limitParam] : undefined
  if (guess.pagination['limit'] === undefined) return guess
  return { ...guess, pagination: { ...guess.pagination, limit: size ?? 100 } }
}

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
