import { UserError } from '#lib/errors/errors.ts'
import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { phpJsonEncode } from '../php/php-json-encode.ts'
import { isEmpty } from '../php/php-values.ts'

/** What a job says of it. */
interface Filtering {
  responseFilter?: string | readonly string[] | undefined
  responseFilterDelimiter?: string | undefined
}

export interface ResponseFilterOptions {
  /**
   * Up to level 2 scalars stay as they are and empty values are skipped
   * (docs/reference/extractor-tables.md#compat-levels).
   */
  compatLevel: number
  /** Numbers in the JSON text as Generic Extractor writes them. */
  compat: boolean
}

/**
 * Turns parts of items into JSON text, so that they do not become columns or tables: `a`, `a.b`, `list[]`, `list[].x`.
 * Missing properties are skipped. Items are copied where they change.
 *
 * @throws UserError `extractor.filter.notAList` for `x[]` on anything but a list
 */
export const createResponseFilter = (
  job: Filtering,
  options: ResponseFilterOptions,
): ((items: Json[]) => Json[]) | undefined => {
  const paths = [job.responseFilter ?? []].flat().filter(path => !isEmpty(path))
  if (paths.length === 0) return undefined
  const delimiter = job.responseFilterDelimiter || '.'
  const lenient = options.compatLevel <= 2

  const filterItem = (item: Json, path: string): Json => {
    if (!isObject(item)) return item
    const at = path.indexOf(delimiter)
    const step = at < 0 ? path : path.slice(0, at)
    const rest = at < 0 ? undefined : path.slice(at + delimiter.length)
    const key = step.endsWith('[]') ? step.slice(0, -2) : step
    if (!Object.hasOwn(item, key)) return item
    const value = item[key] ?? null
    if (lenient && isEmpty(value)) return item
    const change = (part: Json): Json => (rest === undefined ? encode(part) : filterItem(part, rest))
    if (key === step) return replaced(item, key, change(value))
    if (!Array.isArray(value)) {
      throw new UserError('extractor.filter.notAList', `Error filtering response. '${key}' is not an array.`)
    }
    return replaced(item, key, value.map(change))
  }

  const encode = (value: Json): Json => {
    const isScalar = value !== null && !Array.isArray(value) && !isObject(value)
    return lenient && isScalar ? value : phpJsonEncode(value, !options.compat)
  }

  return items => paths.reduce((filtered, path) => filtered.map(item => filterItem(item, path)), items)
}

/** A copy with one member changed, in its place. Symbols (the key order) go along. */
const replaced = (item: Record<string, Json>, key: string, value: Json): Record<string, Json> =>
  Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(item),
      [key]: { value, enumerable: true, writable: true, configurable: true },
    },
  )
