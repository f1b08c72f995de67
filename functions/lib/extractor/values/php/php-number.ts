import type { JsonNumber } from '#lib/json/json-number.ts'
import { phpFloat } from './php-float.ts'

const INT_MAX = 9223372036854775807n
const INT_MIN = -9223372036854775808n

/**
 * A JSON number as PHP reads it: an integer literal that fits 64 bits is an integer, everything else a double
 * (so `1.0`, `1e5`, `-0` and `12345678901234567890` are doubles).
 */
export const phpInteger = (number: JsonNumber): string | undefined => {
  const text = number.text
  if (!/^-?\d+$/.test(text) || text === '-0') return undefined
  if (text.length < 19) return text
  const value = BigInt(text)
  return value >= INT_MIN && value <= INT_MAX ? text : undefined
}

/** A number cell as in Generic Extractor: integers whole, doubles with 14 significant digits. */
export const phpNumberCell = (number: number | JsonNumber): string => {
  if (typeof number === 'number') return isInteger(number) ? `${number}` : phpFloat(number, 14)
  return phpInteger(number) ?? phpFloat(number.valueOf(), 14)
}

/** Whether a plain number counts as an integer: whole, within 64 bits, and not minus zero. */
export const isInteger = (number: number): boolean =>
  Number.isInteger(number) && Math.abs(number) < 2 ** 63 && !Object.is(number, -0)
