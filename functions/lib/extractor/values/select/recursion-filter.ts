import { UserError } from '#lib/errors/errors.ts'
import type { Json } from '#lib/json/json-value.ts'
import { isNumericText, toText } from '../php/php-values.ts'
import { valueAt } from './json-path.ts'
import { likePattern } from './like-pattern.ts'
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
