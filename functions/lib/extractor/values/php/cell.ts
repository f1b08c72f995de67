import { JsonNumber } from '#lib/json/json-number.ts'
import type { Json } from '#lib/json/json-value.ts'
import { toPhpText } from './php-cast.ts'
import { toText } from './php-values.ts'

export type Scalar = boolean | number | string | JsonNumber

export const isScalar = (value: Json | undefined): value is Scalar =>
  (typeof value !== 'object' && value !== undefined) || value instanceof JsonNumber

/**
 * Cell text of a single value, quotes not doubled yet: true is `1`, false and null are empty
 * (docs/reference/extractor-tables.md#cells).
 */
export const cellText = (value: Scalar | null, compat: boolean): string =>
  compat ? toPhpText(value) : toText(value)

const quoted = (text: string): string =>
  text.includes('"') ? `"${text.replaceAll('"', '""')}"` : `"${text}"`

/** One CSV line with its line end; a row without columns is an empty line. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\n`
