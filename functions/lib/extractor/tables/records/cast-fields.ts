import { UserError } from '#lib/errors/errors.ts'
import { JsonNumber } from '#lib/json/json-number.ts'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { orderedJson } from '#lib/json/ordered-json.ts'
import { type CastTarget, decimalDigits, type RecordStep } from '../../config/records-schema.ts'
import {
  type ReadTime,
  readIsoTime,
  type TimeParts,
  timePattern,
} from '../../values/functions/time-pattern.ts'
import { changeHolders, readPath, withMember } from '../../values/select/row-path.ts'

/** What became of a value that cannot be of its type. */
export type CastOutcome = 'empty' | 'keep'

type Casts = NonNullable<RecordStep['cast']>

const MAX_SHOWN = 60

export const targetOf = (written: Casts[string]): CastTarget =>
  typeof written === 'string' ? { to: written, format: undefined, invalid: undefined } : written

/**
 * Values as those of a type. An empty text counts as no value, but for `string`.
 *
 * ```
 * {"price": "number"}    {"price": " 12.50 "}    {"price": "12.50"}
 * ```
 *
 * @throws UserError `extractor.records.cast` for an impossible value, unless `invalid` says what becomes of it
 */
export const castFields = (casts: Casts) => {
  const fields = Object.entries(casts).map(([name, written]) => {
    const target = targetOf(written)
    return { name, path: readPath(name), target, cast: castValue(target) }
  })
  return (row: JsonObject, onCast: (field: string, outcome: CastOutcome) => void): JsonObject =>
    fields.reduce(
      (shaped, { name, path, target, cast }) =>
        changeHolders(shaped, path, (holder, key) => {
          const value = Object.hasOwn(holder, key) ? (holder[key] ?? null) : null
          if (value === null) return holder
          const made = cast(value)
          if (made !== undefined) return made === value ? holder : withMember(holder, key, made)
          const { invalid = 'fail' } = target
          if (invalid === 'fail') throw impossible(name, value, target)
          onCast(name, invalid)
          return withMember(holder, key, invalid === 'empty' ? null : textOf(value))
        }) as JsonObject, // an object stays one
      row,
    )
}

const impossible = (field: string, value: Json, { to, format }: CastTarget): UserError => {
  const text = textOf(value)
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
  const kind = format === undefined ? to : `${to} (${format})`
  return new UserError(
    'extractor.records.cast',
    `'${field}' is "${shown}", which cannot be of the type ${kind}. With "invalid": "empty" or "keep" the run goes on.`,
    { params: { field } },
  )
}

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
const textOf = (value: Json): string => {
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
