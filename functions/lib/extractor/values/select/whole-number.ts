import { JsonNumber } from '#lib/json/json-number.ts'
import { isNumericText } from '../php/php-values.ts'

/**
 * A numeric value cut to a whole number, as a `bigint` where a double would lose digits; `undefined` for anything that is
 * not a number or the text of one.
 */
export const wholeNumber = (value: unknown): number | bigint | undefined => {
  if (typeof value === 'number') return Math.trunc(value)
  const text = value instanceof JsonNumber ? value.text : value
  if (typeof text !== 'string' || !isNumericText(text)) return undefined
  const trimmed = text.trim()
  if (!/^[+-]?\d+$/.test(trimmed)) return Math.trunc(Number(trimmed))
  const number = Number(trimmed)
  return Number.isSafeInteger(number) ? number : BigInt(trimmed.replace('+', ''))
}
