import { decimalOf } from '../../iceberg/metadata/types.ts'
import { formatTimestamp, parseTimestamp } from '../../iceberg/values/date-text.ts'
import { formatDecimal, parseDecimal } from '../../iceberg/values/decimal-text.ts'
import type { CellType } from './field-type.ts'

/** Why a text is no value of a type. */
export type CellProblem = 'notRecognized' | 'outOfRange' | 'tooLong'

/**
 * A value as bounds hold it: the same text for equal values. Numbers without zeros in front, decimals with all digits of
 * their scale, `true` or `false`, ISO 8601 with six digits of a second, in UTC with `Z` when the type has a zone.
 */
type ReadCell = { value: string } | { problem: CellProblem }

const notRecognized: ReadCell = { problem: 'notRecognized' }
const outOfRange: ReadCell = { problem: 'outOfRange' }

const LONG_LIMIT = 2n ** 63n

export const TRUE_WORDS = ['true', 't', 'yes', 'y', 'on', '1']
export const FALSE_WORDS = ['false', 'f', 'no', 'n', 'off', '0']

/** Forms of cells. DuckDB and JavaScript read these patterns alike. */
const DAY = '[0-9]{4}-[0-9]{2}-[0-9]{2}'
const TIME = '(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\\.[0-9]{1,6}0*)?)?'
const ZONE = 'Z|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?'
const NO_ZONE = 'Z|[+-]00(?::?00)?'
export const patterns = {
  decimal: '[+-]?(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)',
  double: '[+-]?(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?',
  date: DAY,
  time: TIME,
  timestamp: `${DAY}(?:[ T]${TIME}(?: ?(?:${NO_ZONE}))?)?`,
  timestamptz: `${DAY}(?:[ T]${TIME}(?: ?(?:${ZONE}))?)?`,
} as const

const isLike = (text: string, pattern: keyof typeof patterns): boolean =>
  new RegExp(`^(?:${patterns[pattern]})$`).test(text)

/** The value that a text (not empty) is for a column, or why it is none. `cellSql` decides the same in SQL. */
export const readCell = (text: string, { type, rules }: CellType): ReadCell => {
  const decimal = decimalOf(type)
  if (decimal) return readDecimal(text, decimal, rules?.isRounded)
  switch (type) {
    case 'long':
      return readLong(text, rules?.isRounded)
    case 'double':
      return readDouble(text)
    case 'boolean':
      return readBoolean(text)
    case 'date':
      return isLike(text, 'date') && isDay(text) ? { value: text } : notRecognized
    case 'timestamp':
    case 'timestamptz':
      return readTimestamp(text, type)
    default:
      return readText(text, rules)
  }
}

const readText = (
  text: string,
  { maxLength, isTime }: Partial<NonNullable<CellType['rules']>> = {},
): ReadCell => {
  if (isTime) return isLike(text, 'time') ? { value: timeText(text) } : notRecognized
  if (maxLength !== undefined && text.length > maxLength && [...text].length > maxLength)
    return { problem: 'tooLong' }
  return text.includes('\0') ? notRecognized : { value: text }
}

/** `12:30:00`, with the digits of the second that are not zero. Such texts have the order of their times. */
const timeText = (text: string): string => {
  const [time = '', fraction = ''] = (text.length === 5 ? `${text}:00` : text).split('.')
  const digits = fraction.replace(/0+$/, '')
  return digits === '' ? time : `${time}.${digits}`
}

const readLong = (text: string, isRounded: boolean | undefined): ReadCell => {
  const [, whole, fraction = ''] = /^([+-]?[0-9]+)(?:\.([0-9]*))?$/.exec(text) ?? []
  if (whole === undefined) return notRecognized
  const value = readDigits(text, { fraction, scale: 0, isRounded })
  if (value === undefined || value >= LONG_LIMIT || value < -LONG_LIMIT) return outOfRange
  return { value: String(value) }
}

const readDecimal = (
  text: string,
  { precision, scale }: { precision: number; scale: number },
  isRounded: boolean | undefined,
): ReadCell => {
  if (!isLike(text, 'decimal')) return notRecognized
  const [, fraction = ''] = text.split('.')
  const unscaled = readDigits(text, { fraction, scale, isRounded })
  if (unscaled === undefined || !isWithin(unscaled, precision)) return outOfRange
  return { value: formatDecimal(unscaled, scale) }
}

/** The number without its point. Undefined: it has more digits than the scale, and is not to be rounded. */
const readDigits = (
  text: string,
  { fraction, scale, isRounded }: { fraction: string; scale: number; isRounded: boolean | undefined },
): bigint | undefined => {
  const cut = unscaledOf(text, scale)
  const beyond = fraction.slice(scale)
  if (!/[1-9]/.test(beyond)) return cut
  if (!isRounded) return undefined
  if (beyond < '5') return cut
  return text.startsWith('-') ? cut - 1n : cut + 1n
}

const isWithin = (unscaled: bigint, precision: number): boolean => {
  const limit = 10n ** BigInt(precision)
  return unscaled < limit && unscaled > -limit
}

/** Digits beyond the scale are cut off. */
const unscaledOf = (text: string, scale: number): bigint => {
  const sign = text.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = text.replace(/^[+-]/, '').split('.')
  return parseDecimal(`${sign}${whole || '0'}.${fraction.slice(0, scale)}`, scale)
}

const readDouble = (text: string): ReadCell => {
  if (!isLike(text, 'double')) return notRecognized
  const value = Number(text)
  if (!Number.isFinite(value)) return outOfRange
  // Without the sign of a zero: it would be another value in some engines.
  return { value: String(value + 0) }
}

const readBoolean = (text: string): ReadCell => {
  const word = text.toLowerCase()
  if (TRUE_WORDS.includes(word)) return { value: 'true' }
  return FALSE_WORDS.includes(word) ? { value: 'false' } : notRecognized
}

const isDay = (text: string): boolean => {
  const time = Date.parse(`${text}T00:00:00Z`)
  return !text.startsWith('0000') && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

const MICROS_PER_MINUTE = 60_000_000n
export const FIRST_MICROS = parseTimestamp('0001-01-01T00:00:00')
export const LAST_MICROS = parseTimestamp('9999-12-31T23:59:59.999999')

/** Without a zone the time is UTC. */
const readTimestamp = (text: string, type: 'timestamp' | 'timestamptz'): ReadCell => {
  if (!isLike(text, type) || !isDay(text.slice(0, 10))) return notRecognized
  const [, time = '00:00', sign, hours = '0', minutes = '0'] =
    /^([0-9:.]+) ?Z?(?:([+-])([0-9]{2}):?([0-9]{2})?)?$/.exec(text.slice(11)) ?? []
  const offset = BigInt(Number(`${sign ?? '+'}1`) * (Number(hours) * 60 + Number(minutes)))
  const micros = parseTimestamp(`${text.slice(0, 10)}T${time}`) - offset * MICROS_PER_MINUTE
  if (micros < FIRST_MICROS || micros > LAST_MICROS) return outOfRange
  return { value: `${formatTimestamp(micros)}${type === 'timestamptz' ? 'Z' : ''}` }
}

/**
 * A value to compare with. A whole number stands for a moment as its seconds since 1970. Of numbers, digits beyond the scale of the column are cut off, and `isCut` says that the number
 * lies above the value and below the next one.
 */
export const readBound = (given: string, cell: CellType): ReadCell & { isCut?: boolean } => {
  const text = isMoment(cell) && /^-?[0-9]{1,11}$/.test(given) ? momentOfSeconds(given) : given
  const scale = cell.type === 'long' ? 0 : decimalOf(cell.type)?.scale
  const { maxLength: _, ...rules } = cell.rules ?? { nullable: true }
  if (cell.type === 'date') return readDayBound(text, { type: 'date', rules })
  if (scale === undefined) return readCell(text, { type: cell.type, rules })
  if (!isLike(text, 'decimal')) return notRecognized
  const [, fraction = ''] = text.split('.')
  if (!/[1-9]/.test(fraction.slice(scale)))
    return readCell(formatDecimal(unscaledOf(text, scale), scale), cell)
  const floor = unscaledOf(text, scale) - (text.startsWith('-') ? 1n : 0n)
  return { ...readCell(formatDecimal(floor, scale), cell), isCut: true }
}

const isMoment = ({ type }: CellType): boolean =>
  type === 'date' || type === 'timestamp' || type === 'timestamptz'

const momentOfSeconds = (seconds: string): string => new Date(Number(seconds) * 1000).toISOString()

/** A day, or a time of that day. */
const readDayBound = (text: string, cell: CellType): ReadCell & { isCut?: boolean } => {
  const time = readTimestamp(text, 'timestamp')
  if (!('value' in time)) return notRecognized
  const day = readCell(text.slice(0, 10), cell)
  return time.value.endsWith('T00:00:00.000000') ? day : { ...day, isCut: true }
}
