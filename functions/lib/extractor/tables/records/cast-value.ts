import { JsonNumber } from '#lib/json/json-number.ts'
import type { Json } from '#lib/json/json-value.ts'
import { orderedJson } from '#lib/json/ordered-json.ts'
import { type CastTarget, decimalDigits } from '../../config/records-schema.ts'
import {
  type ReadTime,
  readIsoTime,
  type TimeParts,
  timePattern,
} from '../../values/functions/time-pattern.ts'

/** The text of the value as one of the type, `null` for an empty one, `undefined` when that is impossible. */
type CastValue = (value: Json) => string | null | undefined

/** How values become those of a type (docs/reference/extractor-records.md#cast). */
export const castValue = ({ to, format }: Pick<CastTarget, 'to' | 'format'>): CastValue => {
  switch (to) {
    case 'string':
      return value => (value === null ? null : textOf(value))
    case 'integer':
      return ofText(integerOf)
    case 'number':
      return ofText(numberOf(format === undefined ? undefined : decimalDigits(format)))
    case 'boolean':
      return ofText(booleanOf)
    case 'date':
      return ofText(castDate(format))
    case 'timestamp':
      return ofText(castTimestamp(format))
  }
}

/** The text of a single value, true and false as words; of others their JSON. */
export const textOf = (value: Json): string => {
  if (typeof value === 'string') return value
  if (value instanceof JsonNumber) return value.text
  return typeof value === 'object' ? orderedJson(value) : String(value)
}

const ofText =
  (cast: (text: string) => string | undefined): CastValue =>
  value => {
    if (value === null) return null
    if (typeof value === 'object' && !(value instanceof JsonNumber)) return undefined
    const text = textOf(value).trim()
    return text === '' ? null : cast(text)
  }

const decimal = /^([+-]?)0*(\d+|(?=\.\d))(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/

/** Bounds of the integers of a table: 64 bits. */
const SMALLEST = -(2n ** 63n)
const LARGEST = 2n ** 63n - 1n

const integerOf = (text: string): string | undefined => {
  const digits = plainDigits(text)
  if (digits === undefined || digits.after !== '') return undefined
  const number = BigInt(`${digits.sign}${digits.before}`)
  return number < SMALLEST || number > LARGEST ? undefined : String(number)
}

const numberOf =
  (digits: ReturnType<typeof decimalDigits>) =>
  (text: string): string | undefined => {
    const parts = plainDigits(text)
    if (parts === undefined) return undefined
    const { before, after } = parts
    if (digits === undefined) {
      if (!Number.isFinite(Number(text))) return undefined
      // The text as it came, so that 1.50 stays 1.50
      return isJsonNumber(text) ? text : plain(parts)
    }
    const isZero = before === '0' && after === ''
    const whole = before === '0' ? 0 : before.length
    if (after.length > digits.scale || whole > digits.precision - digits.scale) return undefined
    return isZero ? '0' : plain(parts)
  }

interface Digits {
  sign: '' | '-'
  /** Without zeros in front. */
  before: string
  /** Without zeros at the end. */
  after: string
}

/** The digits of a number with its exponent worked out; `undefined` for what is no number. */
const plainDigits = (text: string): Digits | undefined => {
  const match = decimal.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const shift = Number(exponent)
  if (Math.abs(shift) > 400) return undefined
  const digits = whole + fraction
  const point = whole.length + shift
  const padded = point < 0 ? '0'.repeat(-point) + digits : digits.padEnd(point, '0')
  const at = Math.max(0, point)
  return {
    sign: sign === '-' ? '-' : '',
    before: padded.slice(0, at).replace(/^0+/, '') || '0',
    after: padded.slice(at).replace(/0+$/, ''),
  }
}

const plain = ({ sign, before, after }: Digits): string =>
  `${sign}${before}${after === '' ? '' : `.${after}`}`

const isJsonNumber = (text: string): boolean => /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)

const booleanOf = (text: string): string | undefined => {
  const word = text.toLowerCase()
  if (['true', '1', 'yes'].includes(word)) return 'true'
  return ['false', '0', 'no'].includes(word) ? 'false' : undefined
}

/** What tables keep of a second. */
const FRACTION_DIGITS = 6

/** Of a text; `undefined` when it is none. */
type CastTime = (text: string) => string | undefined

/** `2026-03-01`: the day as it is written, in whatever zone. */
const castDate = (format: string | undefined): CastTime => {
  const read = reader(format)
  return text => {
    const parts = read(text)
    return parts === undefined || millisecondsOf(parts) === undefined ? undefined : dayOf(parts)
  }
}

/** `2026-03-01 08:00:00`, with a fraction when there is one, in UTC. */
const castTimestamp = (format: string | undefined): CastTime => {
  const read = reader(format)
  return text => {
    const parts = read(text)
    const milliseconds = parts === undefined ? undefined : millisecondsOf(parts)
    if (parts === undefined || milliseconds === undefined) return undefined
    const at = new Date(milliseconds - parts.zone * 60_000)
    if (!isFourDigits(at.getUTCFullYear())) return undefined
    const fraction = parts.fraction.slice(0, FRACTION_DIGITS).replace(/0+$/, '')
    return `${at.toISOString().slice(0, 19).replace('T', ' ')}${fraction === '' ? '' : `.${fraction}`}`
  }
}

const reader = (format: string | undefined): ReadTime => {
  const read = format === undefined ? readIsoTime : timePattern(format)
  if (read === undefined) throw new Error(`The format "${format}" was let through without a letter`)
  return read
}

/** As if it were UTC; `undefined` for a day or an hour that does not exist. */
const millisecondsOf = (parts: TimeParts): number | undefined => {
  const { year, month, day, minute, second, zone, isPm } = parts
  const isTwelve = isPm !== undefined
  if (isTwelve && (parts.hour < 1 || parts.hour > 12)) return undefined
  const hour = isTwelve ? (parts.hour % 12) + (isPm ? 12 : 0) : parts.hour
  if (hour > 23 || minute > 59 || second > 59 || Math.abs(zone) > 18 * 60 || !isFourDigits(year))
    return undefined
  const at = new Date(0)
  at.setUTCFullYear(year, month - 1, day)
  if (at.getUTCMonth() !== month - 1 || at.getUTCDate() !== day) return undefined
  return at.setUTCHours(hour, minute, second)
}

const isFourDigits = (year: number): boolean => year >= 1 && year <= 9999

const dayOf = ({ year, month, day }: TimeParts): string =>
  [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-')
