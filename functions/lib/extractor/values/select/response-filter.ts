import { UserError } from '#lib/errors/errors.ts'
import { isObject, type Json } from '#lib/json/json-value.ts'
import { phpJsonEncode } from '../php/php-serialize.ts'
import { isEmpty, isNumericText, toText } from '../php/php-values.ts'
import { valueAt } from './json-path.ts'
import { compareBy } from './ordering.ts'

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

/** Whether a parent row gets child requests. */
export type RowFilter = (row: Json) => boolean

const operators = ['==', '!=', '>=', '<=', '>', '<', '~~', '!~', '>', '<'] // in the order of Generic Extractor's message

/**
 * Reads a `recursionFilter`: comparisons joined by `&` and `|`, where `&` binds tighter; no brackets, no escaping, blanks
 * count (docs/reference/extractor-jobs.md#recursion-filter). Values are compared as texts, `<` and `>` as numbers when
 * both look like numbers.
 *
 * @throws UserError `extractor.config.recursionFilter`
 */
export const parseRowFilter = (filter: string): RowFilter => {
  const alternatives = filter.split('|').map(part => part.split('&').map(parseComparison))
  return row => alternatives.some(comparisons => comparisons.every(holds => holds(row)))
}

const parseComparison = (text: string): RowFilter => {
  const operator = /(>=|<=|==|!=|~~|!~)/.exec(text)?.[0] ?? /[<>]/.exec(text)?.[0]
  if (operator === undefined) {
    throw new UserError(
      'extractor.config.recursionFilter',
      `Error creating a filter from ${text}: Operator couldn't be determined. Please use one of [${operators.join(', ')}]`,
    )
  }
  const [path = '', expected = ''] = text.split(operator)
  const compare = comparison(operator, expected)
  return row => compare(toText(valueAt(path, row)))
}

const comparison = (operator: string, expected: string): ((value: string) => boolean) => {
  const isLike = /~/.test(operator) ? likePattern(expected) : undefined
  if (isLike !== undefined) return operator === '~~' ? isLike : value => !isLike(value)
  const holds = comparisons[operator]
  return value => holds?.(value, expected) === true
}

const comparisons: Readonly<Record<string, (value: string, expected: string) => boolean>> = {
  '==': (value, expected) => value === expected,
  '!=': (value, expected) => value !== expected,
  '>=': (value, expected) => order(value, expected) >= 0,
  '<=': (value, expected) => order(value, expected) <= 0,
  '>': (value, expected) => order(value, expected) > 0,
  '<': (value, expected) => order(value, expected) < 0,
}

const order = (a: string, b: string): number => {
  if (isNumericText(a) && isNumericText(b)) return compareBy('number', a, b)
  return a < b ? -1 : a > b ? 1 : 0
}

/** A value is searched once for each part. Real patterns are far shorter. */
const MAX_LENGTH = 1_000

/**
 * Whether a value is like a pattern with `%` for any text without a line break; a line break at the value's end is
 * ignored. Each part between two `%` is taken where it comes first, never again: a regular expression would try all places of
 * all parts against each other, which takes minutes on a few hundred characters.
 *
 * @throws UserError `extractor.config.recursionFilter` for a pattern of more than 1,000 characters
 */
export const likePattern = (pattern: string): ((value: string) => boolean) => {
  if (pattern.length > MAX_LENGTH)
    throw new UserError(
      'extractor.config.recursionFilter',
      `Error creating a filter: a value to compare with has at most ${MAX_LENGTH} characters.`,
    )
  const [first = '', ...others] = pattern.split('%')
  const last = others.pop()
  return value => {
    const ends = value.endsWith('\n') ? [value.length, value.length - 1] : [value.length]
    if (!value.startsWith(first)) return false
    if (last === undefined) return ends.includes(first.length)
    let at = first.length
    for (const part of others) {
      const found = value.indexOf(part, at)
      if (found < 0 || hasLineBreak(value, at, found)) return false
      at = found + part.length
    }
    return ends.some(end => {
      const start = end - last.length
      return start >= at && value.startsWith(last, start) && !hasLineBreak(value, at, start)
    })
  }
}

const hasLineBreak = (value: string, from: number, to: number): boolean =>
  value.slice(from, to).includes('\n')
