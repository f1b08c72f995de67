import * as z from 'zod'
import { UserError } from '#lib/errors/errors.ts'
import { JsonNumber } from '#lib/json/json-number.ts'
import type { Json } from '#lib/json/json-value.ts'
import { isNumericText, toText } from '../php/php-values.ts'

export const Ordering = z.enum(['number', 'text', 'date'])

export type Ordering = z.output<typeof Ordering>

/**
 * Orders two values by kind: by size, by code units, or by the moment they name; without a kind two numbers, also as texts, by size, else by code units.
 * Negative when `a` comes first.
 */
export const compareBy = (kind: Ordering | undefined, a: Json, b: Json): number => {
  const ordering = kind ?? (isNumber(a) && isNumber(b) ? 'number' : 'text')
  if (ordering === 'text') return order(toText(a), toText(b))
  const key = ordering === 'date' ? moment : size
  return order(key(a), key(b))
}

const isNumber = (value: Json): boolean =>
  typeof value === 'number' ||
  value instanceof JsonNumber ||
  (typeof value === 'string' && /^(0|[1-9]\d*)$/.test(value))

const order = <T extends string | number | bigint>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0)

const size = (value: Json): number | bigint => {
  const whole = wholeNumber(value)
  if (whole === undefined) throw notA('number', value)
  return typeof whole === 'bigint' ? whole : Number(toText(value))
}

const moment = (value: Json): number => {
  const found = momentOf(toText(value))
  if (found === undefined) throw notA('date', value)
  return found
}

const isZoned = (text: string): boolean => /^\d{9,13}$|(?:z|gmt|utc|[+-]\d{2}:?\d{2})$/i.test(text)

/** Milliseconds since 1970 of a time as text, or of a Unix time in seconds or milliseconds. */
export const momentOf = (text: string): number | undefined => {
  // Zone-less texts are UTC, as everywhere in the format
  const zoned = isZoned(text) || !/\d{2}:\d{2}/.test(text) ? text : `${text.replace(' ', 'T')}Z`
  const parsed = /^\d{9,13}$/.test(text) ? Number(text) * (text.length > 11 ? 1 : 1000) : Date.parse(zoned)
  return Number.isNaN(parsed) ? undefined : parsed
}

/** Whether a value is none: null, an empty text, the zero date of MySQL. */
export const isNone = (value: Json): boolean => /^(0000-00-00.*)?$/.test(toText(value))

/** Local times may be so far ahead of UTC. */
const FURTHEST_ZONE = 14 * 3_600_000

/**
 * Whether a value names a moment beyond now (in seconds since 1970): one wrong date, and nothing would be asked for until then. Of what is
 * ordered as text dates of ISO 8601 do.
 */
export const isAhead = (kind: Ordering | undefined, value: Json, now: number): boolean => {
  const text = toText(value)
  if (kind === 'number' || (kind !== 'date' && !/^\d{4}-\d\d-\d\d/.test(text))) return false
  const zone = isZoned(text) ? 0 : FURTHEST_ZONE
  return (momentOf(text) ?? 0) > now * 1_000 + zone
}

const notA = (kind: string, value: Json): UserError =>
  new UserError('extractor.value.order', `Cursor value '${toText(value)}' is not a ${kind}.`)

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
