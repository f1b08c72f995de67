import { UserError } from '#lib/errors/errors.ts'
import { JsonNumber } from '#lib/json/json-number.ts'
import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import { Moment, Span } from './moment-value.ts'

/** What an expression works with on its way: JSON, moments and lengths of time. */
export type Worked = Json | Moment | Span

export const isNumber = (value: Worked): boolean =>
  typeof value === 'number' || typeof value === 'boolean' || value instanceof JsonNumber

/** @throws UserError `extractor.functions.expression` for what is no number */
export const numberOf = (value: Worked): number => {
  const number =
    isNumber(value) || (typeof value === 'string' && value.trim() !== '') ? Number(value) : Number.NaN
  if (Number.isNaN(number)) throw failed(`${shown(value)} is no number`)
  return number
}

/** Nothing, zero, no text, and what holds nothing are false. */
export const isTrue = (value: Worked): boolean => {
  if (Array.isArray(value)) return value.length > 0
  if (value instanceof JsonNumber) return Number(value) !== 0
  if (value instanceof Moment || value instanceof Span) return true
  return isObject(value) ? Object.keys(value).length > 0 : Boolean(value)
}

/** As Jinja writes it: `True`, `None`, and lists and objects as JSON. */
export const textOf = (value: Worked): string => {
  if (typeof value === 'string') return value
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (value instanceof Moment || value instanceof Span) return String(value)
  if (Array.isArray(value) || isObject(value)) return JSON.stringify(value)
  return String(value)
}

export const shown = (value: Worked): string => textOf(value).slice(0, 60)

export const failed = (why: string): UserError => new UserError('extractor.functions.expression', why)
