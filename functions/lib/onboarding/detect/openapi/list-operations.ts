import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { findFields } from '../item-fields.ts'
import { findItemList, toDataField } from '../item-list.ts'
import { guessPaging } from '../paging.ts'
import type { PagingGuess } from '../paging-guess.ts'
import { isLimitName } from '../paging-names.ts'
import type { OpenApiDocument } from './document.ts'
import { sampleOf } from './sample-of.ts'

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
