import { md5Digest } from '#lib/digests.ts'
import { JsonNumber } from '#lib/json/json-number.ts'
import { isObject, type Json } from '#lib/json/json-value.ts'
import { phpNumberCell } from './php-number.ts'

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

/** PHP's `(string)`. Unlike `toText`, doubles have 14 digits (`1.50` is `1.5`) and a list is `Array`. */
export const toPhpText = (value: Value): string => {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || value instanceof JsonNumber) return phpNumberCell(value)
  if (value instanceof ByteString) return value.bytes.toString()
  return Array.isArray(value) ? 'Array' : toText(value)
}

export const toBytes = (value: Value): Buffer =>
  value instanceof ByteString ? value.bytes : Buffer.from(toPhpText(value))

/** PHP's `(int)`, toward zero. A text counts as the number at its start; what is no finite number is 0. */
export const toInteger = (value: Value): number => {
  const number = toFloat(value)
  return Number.isFinite(number) ? Math.trunc(number) : 0
}

/** PHP's `(float)`. A text counts as the number at its start. */
export const toFloat = (value: Value): number => {
  if (typeof value === 'number') return value
  if (value instanceof JsonNumber) return value.valueOf()
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'string')
    return Number(/^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/i.exec(value)?.[0] ?? 0)
  return 0
}

export type Scalar = boolean | number | string | JsonNumber

export const isScalar = (value: Json | undefined): value is Scalar =>
  (typeof value !== 'object' && value !== undefined) || value instanceof JsonNumber

/**
 * Cell text of a single value, quotes not doubled yet: true is `1`, false and null are empty
 * (docs/reference/extractor-tables.md#cells).
 */
export const cellText = (value: Scalar | null, compat: boolean): string =>
  compat ? toPhpText(value) : toText(value)

/** A text as it stands between quotes. */
export const inQuotes = (text: string): string => (text.includes('"') ? text.replaceAll('"', '""') : text)

/** One CSV line with its line end; a row without columns is an empty line. */
export const csvLine = (cells: readonly string[]): string =>
  `${cells.map(cell => `"${inQuotes(cell)}"`).join(',')}\n`

/** Bytes that are no text: the raw output of `md5(x, true)` and its like, on the way to `base64_encode`. */
export class ByteString {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}

/** A value while an expression is evaluated. */
export type Value = Json | ByteString

const MAX_LENGTH = 64

/**
 * A path as a table or column name: runs of anything but letters, digits and `-` become one `_`, none at the edges.
 *
 * Names over 64 bytes keep their end, from an underscore on, behind a short mark made of their start: Generic
 * Extractor's names must come out the same, or tables that exist already would get new columns.
 */
export const safeName = (path: string): string => {
  // One underscore per byte, so that letters outside ASCII count in the length as they do in Generic Extractor.
  const name = path.replace(/[^A-Za-z0-9-]/gu, c => '_'.repeat(Buffer.byteLength(c)))
  return shortName(name, name.length)
    .replace(/[^A-Za-z0-9-]+/g, '_')
    .replace(/^_+|_+$/g, '')
}

/** A name of more than 64 `bytes` cut to its end, from a space or an underscore on, behind the mark of its start. */
export const shortName = (name: string, bytes: number): string => {
  if (bytes <= MAX_LENGTH) return name
  const mark = `${countWords(name) > 1 ? wordStarts(name) : md5Digest(name)}_`
  const from = Math.max(0, name.length - (MAX_LENGTH - mark.length))
  const space = name.indexOf(' ', from)
  const cut = space > 0 ? space : name.indexOf('_', from)
  return cut === -1 ? mark : mark + name.slice(cut)
}

/** Words are runs of letters, apostrophes and hyphens, hyphens at the edges of the text aside. */
const countWords = (name: string): number => name.replace(/^-+|-$/g, '').match(/[A-Za-z'-]+/g)?.length ?? 0

/** First characters of what hyphens separate; the underscore belongs to words here. */
const wordStarts = (name: string): string => name.match(/\b\w/g)?.join('') ?? ''
