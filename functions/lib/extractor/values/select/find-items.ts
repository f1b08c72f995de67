import { UserError } from '#lib/errors/errors.ts'
import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { isEmpty } from '../php/php-values.ts'
import { keysOf, valueAt, valueAtKeys } from './json-path.ts'

/** Where a job says that its items are. */
interface Place {
  dataField?: string | { path: string; delimiter?: string | undefined } | undefined
}

interface Found {
  items: Json[]
  /** A warning for the author of the configuration. */
  warning?: string
  /** There is no list, not even an empty one. */
  isMissing?: boolean
  /** The keys that lead to the list in the response; absent when the items are not a list of it. */
  path?: string[]
}

/**
 * The items of a response: what is at `dataField`, else the response when it is a list, else its only list
 * (docs/reference/extractor-jobs.md#items).
 *
 * @throws UserError when there are several lists, or nothing that could hold items
 */
export const findItems = (response: Json, job: Place, endpoint: string): Found => {
  const field = job.dataField
  const path = typeof field === 'object' ? field.path : field
  if (path !== undefined && !isEmpty(path)) {
    return atField(response, path, typeof field === 'object' && field.delimiter ? field.delimiter : '.')
  }
  if (Array.isArray(response)) return { items: response, path: [] }
  if (!isObject(response)) throw new UserError('extractor.response.unknown', 'Unknown response from API.')
  const lists = Object.entries(response).filter((entry): entry is [string, Json[]] => Array.isArray(entry[1]))
  const [only, ...others] = lists
  if (only === undefined) {
    return { items: [], warning: `No data array found in response! (endpoint: ${endpoint})`, isMissing: true }
  }
  if (others.length === 0) {
    const [name, items] = only
    // Warn of an empty list in a response that is not empty (docs/reference/extractor-jobs.md#items)
    return { items, path: [name], ...(items.length === 0 ? { warning: noData(name) } : {}) }
  }
  const names = lists.map(([name]) => name).join(', ')
  throw new UserError(
    'extractor.response.ambiguous',
    `More than one array found in response! Use 'dataField' parameter to specify a key to the data array. ` +
      `(endpoint: ${endpoint}, arrays in response root: ${names})`,
  )
}

const atField = (response: Json, path: string, delimiter: string): Found => {
  const keys = keysOf(path, delimiter)
  if (keys.includes('*')) return atStars(response, keys, path)
  const found = valueAt(path, response, delimiter)
  if (found === undefined || isEmpty(found))
    return { items: [], warning: noData(path), ...(Array.isArray(found) ? {} : { isMissing: true }) }
  // A single object or scalar is one item; a keyed object is not walked through
  return Array.isArray(found) ? { items: found, path: keysOf(path, delimiter) } : { items: [found] }
}

/** `*` stands for each item of a list and each value of an object, unless it has a key of that name. What is missing there is no item. */
const atStars = (response: Json, keys: readonly string[], path: string): Found => {
  const items = keys.reduce<Json[]>(
    (found, key, index) =>
      found.flatMap(value => {
        if (key === '*' && !(isObject(value) && Object.hasOwn(value, key)))
          return Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []
        const inner = valueAtKeys([key], value) ?? []
        return index === keys.length - 1 || !Array.isArray(inner) || inner.length === 0 ? inner : [inner]
      }),
    [response],
  )
  if (items.length > 0) return { items }
  const before = valueAtKeys(keys.slice(0, keys.indexOf('*')), response)
  return { items, warning: noData(path), ...(before === undefined ? { isMissing: true } : {}) }
}

const noData = (path: string): string => `dataField '${path}' contains no data!`
