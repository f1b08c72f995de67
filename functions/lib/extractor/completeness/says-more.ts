import { findLink } from '../pagination/header-link.ts'
import type { Page } from '../pagination/paginator.ts'
import { isObject } from '../php/php-values.ts'
import type { Json } from '../tables/json-value.ts'

/** What an answer says of rows that come after its own, and the key of a configuration that reads it. */
export interface More {
  says: string
  key: string
}

const FLAG =
  /^(has_?(more|next(_?page)?)(_?(items|results|data|pages|records))?|more_?(items|results|available|records)|is_?truncated)$/i
const LAST = /^(is_?)?last(_?page)?$/i
const LINK = /^(next|next_?(url|uri|link|href|page|page_?(url|uri|link))|@?odata\.nextlink)$/i
const CURSOR = /^(next_?(cursor|token|marker|page_?(token|cursor|id))|continuation_?token)$/i
const PAGE = /^(current_?page|page|page_?number)$/i
const PAGES = /^(total_?pages|pages|page_?count|last_?page|num_?pages)$/i

const MAX_DEPTH = 3
const MAX_OBJECTS = 50

/**
 * What stands beside the items of an answer, or in its headers, about a page after it. Nothing when the answer says that it is the last one.
 *
 * @param beside the response, of which lists are not looked into; absent: it is a list
 */
export const saysMore = (beside: Json | undefined, headers: Page['headers']): More | undefined => {
  const link = findLink([headers['link'] ?? []].flat().join(', '), 'next')
  const found: More[] =
    link === undefined
      ? []
      : [{ says: 'the header Link names a next page', key: '"pagination": {"method": "header-link"}' }]
  for (const { object, path } of objectsIn(beside)) {
    const of = facts(object, path)
    if (of === 'last') return undefined
    found.push(...of)
  }
  return found[0]
}

const facts = (object: Readonly<Record<string, Json>>, path: string): More[] | 'last' => {
  const found: More[] = []
  for (const [name, value] of Object.entries(object)) {
    const place = `${path}${name}`
    if (typeof value === 'boolean' && (FLAG.test(name) || LAST.test(name))) {
      if (value === LAST.test(name)) return 'last'
      found.push({
        says: `"${place}" is ${value}`,
        key: `"pagination", with "stopWhen": {"expr": "${value ? 'not ' : ''}response.${place}"}`,
      })
    } else if (LINK.test(name) && isAddress(hrefOf(value)))
      found.push({
        says: `"${place}" names a next page`,
        key: `"pagination": {"method": "response.url", "urlKey": "${place}${isObject(value) ? '.href' : ''}"}`,
      })
    else if (CURSOR.test(name) && isCursor(value))
      found.push({
        says: `"${place}" has a value`,
        key: `"pagination": {"method": "json-cursor", "cursorPath": "${place}"}`,
      })
  }
  return [...found, ...pageOfPages(object, path)]
}

const pageOfPages = (object: Readonly<Record<string, Json>>, path: string): More[] => {
  const numberAt = (names: RegExp) =>
    Object.entries(object).find(([name, value]) => names.test(name) && typeof value === 'number')
  const [page, pages] = [numberAt(PAGE), numberAt(PAGES)]
  if (!page || !pages || page[0] === pages[0] || Number(page[1]) >= Number(pages[1])) return []
  return [
    {
      says: `"${path}${page[0]}" is ${page[1]} and "${path}${pages[0]}" is ${pages[1]}`,
      key: '"pagination": {"method": "pagenum"}',
    },
  ]
}

const hrefOf = (value: Json): Json => (isObject(value) ? (value['href'] ?? null) : value)

const isAddress = (value: Json): boolean => typeof value === 'string' && /^(https?:\/\/|\/|\?)/.test(value)

const isCursor = (value: Json): boolean =>
  (typeof value === 'string' && value !== '') || (typeof value === 'number' && value !== 0)

/** Objects without the lists between them, from the outside in. */
function* objectsIn(
  value: Json | undefined,
): Generator<{ object: Readonly<Record<string, Json>>; path: string }> {
  let level = isObject(value) ? [{ object: value, path: '' }] : []
  let seen = 0
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth++) {
    const below: typeof level = []
    for (const each of level) {
      if (++seen > MAX_OBJECTS) return
      yield each
      for (const [name, inner] of Object.entries(each.object))
        if (isObject(inner)) below.push({ object: inner, path: `${each.path}${name}.` })
    }
    level = below
  }
}
