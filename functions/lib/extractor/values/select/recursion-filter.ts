import { UserError } from '#lib/errors/errors.ts'
import type { Json } from '#lib/json/json-value.ts'
import { isNumericText, toText } from '../php/php-values.ts'
import { valueAt } from './json-path.ts'
import { compareBy } from './ordering.ts'

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
  switch (operator) {
    case '==':
      return value => value === expected
    case '!=':
      return value => value !== expected
    case '~~':
      return likePattern(expected)
    case '!~': {
      const isLike = likePattern(expected)
      return value => !isLike(value)
    }
    case '>=':
      return value => order(value, expected) >= 0
    case '<=':
      return value => order(value, expected) <= 0
    case '>':
      return value => order(value, expected) > 0
    default:
      return value => order(value, expected) < 0
  }
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
