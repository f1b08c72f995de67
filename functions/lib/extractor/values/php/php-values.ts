import { JsonNumber } from '#lib/json/json-number.ts'
import { isObject, type Json } from '#lib/json/json-value.ts'
import { ByteString } from './byte-string.ts'

/**
 * What the format calls empty, PHP's `empty()`: null, false, 0, "", "0" and a list without items
 * (docs/reference/extractor.md#empty-values). An object never is.
 */
export const isEmpty = (value: unknown): boolean => {
  if (value === undefined || value === null || value === false || value === '' || value === '0') return true
  if (Array.isArray(value)) return value.length === 0
  if (value instanceof JsonNumber) return value.valueOf() === 0
  if (value instanceof ByteString) return value.bytes.length === 0
  return value === 0
}

/** `isEmpty` where PHP has decoded objects to arrays, as in a mapping: there `{}` is empty too. */
export const isEmptyAsArray = (value: unknown): boolean =>
  isEmpty(value) || (isObject(value) && Object.keys(value).length === 0)

/**
 * A value as text: true is "1", false and null are "", lists and objects are JSON. Numbers keep the text that the API
 * sent, so that ids of 20 digits stay whole; `toPhpText` rounds them as PHP does.
 */
export const toText = (value: Json | undefined): string => {
  if (typeof value === 'string') return value
  if (value === true) return '1'
  if (value === undefined || value === null || value === false) return ''
  if (typeof value === 'object' && !(value instanceof JsonNumber)) return JSON.stringify(value)
  return String(value)
}

/** Text that arithmetic comparison takes for a number: leading blanks allowed, trailing ones not. */
export const isNumericText = (text: string): boolean =>
  /^[ \t\n\r\v\f]*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text)

export const isContainer = (value: Json): boolean => Array.isArray(value) || isObject(value)
