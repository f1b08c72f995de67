import { isObject, type Json } from '#lib/json/json-value.ts'
import { findLink } from './next-address.ts'
import type { Page } from './paginator.ts'

/** What an answer says against an end after it, and the key of a configuration that reads it. */
export interface Saying {
  says: string
  key: string
}

const MAX_ERROR_LENGTH = 200

/** `{"errors": [{"message": "Throttled"}], "data": …}`, with a status of success: what came may not be all. */
export const saysError = (beside: Json | undefined, rows: readonly Json[] = []): string | undefined => {
  if (!isObject(beside)) return undefined
  for (const name of ['errors', 'error']) {
    const value = beside[name]
    const first = Array.isArray(value) ? value[0] : value
    // Rows may be errors, and a row is no such list
    if (first === undefined || first === rows[0]) continue
    const said = isObject(first) ? (first['message'] ?? first['code'] ?? first['type']) : first
    if (typeof said === 'string' && said !== '') return `"${name}": "${said.slice(0, MAX_ERROR_LENGTH)}"`
    if (isObject(first) && Object.keys(first).length > 0) return `"${name}"`
  }
  return beside['success'] === false ? '"success": false' : undefined
}

// Names without case and without what is no letter or digit
const FLAG = /^(has)?(more|next)(page|items|results|data|records)?$/
const LINK = /^next(page|results|records)?(url|uri|link|href)?$|^odatanextlink$/
const CURSOR = /^next(page)?(cursor|token|marker)$|^(next)?continuation(token)?$/

const [MAX_DEPTH, MAX_OBJECTS] = [3, 50]

/** What stands beside the rows of an answer, or in its header `Link`, about a next page. */
export const saysMore = (beside: Json | undefined, headers: Page['headers']): Saying | undefined => {
  if (findLink([headers['link'] ?? []].flat().join(', '), 'next') !== undefined)
    return { says: 'the header Link names a next page', key: '"pagination": {"method": "header-link"}' }
  let found: Saying | undefined
  for (const [path, object] of objectsIn(beside)) {
    for (const [name, value] of Object.entries(object)) {
      const word = name.toLowerCase().replace(/[^a-z0-9]/g, '')
      const flag = FLAG.test(word) ? asFlag(value) : undefined
      if (flag === false) return undefined // it says that this was the last
      if (flag === true)
        found ??= {
          says: `"${path}${name}" is ${value}`,
          key: `"pagination", with "nextPageFlag": {"field": "${path}${name}", "stopOn": false}`,
        }
      else found ??= nextIn(`${path}${name}`, word, value)
    }
  }
  return found
}

const asFlag = (value: Json): boolean | undefined =>
  typeof value === 'boolean' ? value : value === 'true' ? true : value === 'false' ? false : undefined

/** A next address or cursor. */
const nextIn = (place: string, word: string, value: Json): Saying | undefined => {
  if (LINK.test(word) && isObject(value)) return nextIn(`${place}.href`, word, value['href'] ?? null)
  if ((typeof value !== 'string' && typeof value !== 'number') || value === '' || value === 0)
    return undefined
  if (LINK.test(word) && /^(https?:\/\/|\/|\?)/.test(String(value)))
    return {
      says: `"${place}" names a next page`,
      key: `"pagination": {"method": "response.url", "urlKey": "${place}"}`,
    }
  return CURSOR.test(word) || LINK.test(word)
    ? {
        says: `"${place}" has a value`,
        key: `"pagination": {"method": "json-cursor", "cursorPath": "${place}"}`,
      }
    : undefined
}

/** Objects without the lists between them, from the outside in. */
function* objectsIn(value: Json | undefined): Generator<[string, Readonly<Record<string, Json>>]> {
  let level: [string, Readonly<Record<string, Json>>][] = isObject(value) ? [['', value]] : []
  for (let depth = 0, seen = 0; depth <= MAX_DEPTH && seen <= MAX_OBJECTS; depth++, seen += level.length) {
    yield* level
    level = level.flatMap(([path, object]) =>
      Object.entries(object).flatMap(([name, inner]) =>
        isObject(inner) ? [[`${path}${name}.`, inner] as [string, typeof inner]] : [],
      ),
    )
  }
}
