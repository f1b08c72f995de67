import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'

export interface ItemList {
  /** Keys from the answer to the list; none when the answer is the list. */
  keys: string[]
  items: Json[]
}

/** Deeper ones are lists inside of items. */
const DEEPEST = 6

const usualName =
  /^(data|items?|results?|records?|rows|entries|values?|list|objects|nodes|edges|hits|content|elements|docs|documents|resources|members?|_embedded)$/i
const sideName =
  /^(errors?|warnings?|messages?|links?|_links|facets?|filters?|aggregations?|columns?|fields?|headers?|meta|metadata|included|tags|sort|schema|debug|pages|params)$/i

/**
 * The list of an answer that holds the rows: of objects rather than of scalars, with items rather than empty, by the name of the
 * endpoint or a usual one, near the root. `undefined` for an answer without a list.
 */
export const findItemList = (answer: Json, endpoint: string): ItemList | undefined => {
  const lists = listsIn(answer, [])
  const last = endpoint.split('/').filter(Boolean).at(-1)?.toLowerCase() ?? ''
  const scored = lists.map(list => ({ list, score: scoreOf(list, last) }))
  return scored.reduce<(typeof scored)[number] | undefined>(
    (best, one) => (best === undefined || one.score > best.score ? one : best),
    undefined,
  )?.list
}

/** Lists inside of lists belong to single items. */
const listsIn = (value: Json, keys: readonly string[]): ItemList[] => {
  if (Array.isArray(value)) return [{ keys: [...keys], items: value }]
  if (!isObject(value) || keys.length >= DEEPEST) return []
  return Object.entries(value).flatMap(([key, inner]) => (key === '' ? [] : listsIn(inner, [...keys, key])))
}

const scoreOf = ({ keys, items }: ItemList, endpoint: string): number => {
  const name = keys.at(-1) ?? ''
  const kind = items.some(isObject) ? 1000 : items.length > 0 ? 100 : 50
  const isOfEndpoint = name !== '' && endpoint !== '' && bare(name) === bare(endpoint)
  const isSide = keys.some(key => sideName.test(key)) && !isOfEndpoint
  return (
    kind +
    (isOfEndpoint ? 40 : usualName.test(name) ? 30 : 0) -
    (isSide ? 35 : 0) -
    keys.length * 5 +
    Math.min(items.length, 9) / 10
  )
}

/** `orders`, `order` and `Orders.json` name one thing. */
const bare = (name: string): string =>
  name
    .toLowerCase()
    .replace(/\.\w+$/, '')
    .replace(/[^a-z0-9]/g, '')
    .replace(/s$/, '')

/** `dataField` of a job for a path of keys: with a delimiter of its own where a key has a dot. */
export const toDataField = (keys: readonly string[]): string | { path: string; delimiter: string } => {
  // A path of `0` alone counts as none, as it does in PHP; the delimiter before it is passed over.
  if (!keys.some(key => key.includes('.'))) return keys.join('.').replace(/^0$/, '.0')
  let delimiter = '/'
  while (keys.some(key => key.includes(delimiter))) delimiter += '/'
  return { path: keys.join(delimiter), delimiter }
}
