import type { JsonNumber } from '#lib/json/json-number.ts'

/**
 * Text of a double in PHP's `precision` notation: 14 digits in a cell, 17 in `serialize` and `json_encode`.
 *
 * Plain notation while the decimal point lies within the digits (and at most three zeros follow it), else
 * `1.0E+30`, `1.5E-7`: no padding in the exponent, at least one digit after the point.
 */
export const phpFloat = (value: number, precision: 14 | 17, exponentSign: 'E' | 'e' = 'E'): string => {
  const size = Math.abs(value)
  if (size >= 1e-4 && size < 1e14) {
    // Sixteenths have few digits, and these are all of them
    if (precision === 17)
      return Number.isInteger(value * 16) && size < 1e12
        ? `${value}`
        : withoutTrailingZeros(value.toPrecision(17))
    const shortest = `${value}`
    // Fifteen characters with a point hold at most 14 digits, so rounding to 14 changes nothing.
    if (shortest.length <= 15) return shortest
  }
  if (size === Number.POSITIVE_INFINITY) return value < 0 ? '-INF' : 'INF'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  return fromDigits(value < 0 ? '-' : '', significantDigits(size, precision), precision, exponentSign)
}

/** Of a text with a point. */
const withoutTrailingZeros = (text: string): string => {
  let end = text.length
  while (text.charCodeAt(end - 1) === ZERO) end--
  if (text.charCodeAt(end - 1) === POINT) end--
  return end === text.length ? text : text.slice(0, end)
}

const ZERO = 48
const POINT = 46

interface Digits {
  /** Without trailing zeros. */
  digits: string
  /** Power of ten of the first digit. */
  exponent: number
}

const fromDigits = (
  sign: string,
  { digits, exponent }: Digits,
  precision: number,
  exponentSign: string,
): string => {
  if (exponent < -4 || exponent >= precision) {
    const mantissa = `${digits[0]}.${digits.slice(1) || '0'}`
    return `${sign}${mantissa}${exponentSign}${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = exponent + 1
  if (digits.length <= whole) return sign + digits.padEnd(whole, '0')
  return `${sign}${digits.slice(0, whole)}.${digits.slice(whole)}`
}

const significantDigits = (size: number, precision: number): Digits => {
  const [mantissa = '0', exponent = '0'] = size.toExponential(precision - 1).split('e')
  let digits = mantissa.replace('.', '')
  if (isTieRoundedToOdd(size, digits)) digits = String(BigInt(digits) - 1n)
  return { digits: digits.replace(/0+$/, ''), exponent: Number(exponent) }
}

/** JavaScript rounds an exact half up, PHP to the even digit: 12345678901234.5 is 12345678901234 there. */
const isTieRoundedToOdd = (size: number, digits: string): boolean => {
  const lastDigit = digits.charCodeAt(digits.length - 1) - 48
  if (lastDigit % 2 === 0) return false
  // 41 digits are enough to recognise a tie at the 15th digit, and JavaScript prints them exactly.
  const exact = size.toExponential(40).replace('.', '').split('e')[0] ?? ''
  return /^50*$/.test(exact.slice(digits.length))
}

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
