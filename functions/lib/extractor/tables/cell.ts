import { JsonNumber } from '../php/json-number.ts'
import { toPhpText } from '../php/php-cast.ts'
import { toText } from '../php/php-values.ts'
import type { Json } from './json-value.ts'

export type Scalar = boolean | number | string | JsonNumber

export function isScalar(value: Json | undefined): value is Scalar {
  return (typeof value !== 'object' && value !== undefined) || value instanceof JsonNumber
}

/**
 * Cell text of a single value, quotes not doubled yet: true is `1`, false and null are empty
 * (docs/reference/extractor-tables.md#cells).
 */
export function cellText(value: Scalar | null, compat: boolean): string {
  return compat ? toPhpText(value) : toText(value)
}

/** A quoted CSV cell. */
export function quoted(text: string): string {
  return text.includes('"') ? `"${text.replaceAll('"', '""')}"` : `"${text}"`
}

/** One CSV line with its line end; a row without columns is an empty line. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\n`
}
