import { JsonNumber } from '../php/json-number.ts'
import { phpNumberCell } from '../php/php-number.ts'
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
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
      return compat ? phpNumberCell(value) : `${value}`
    case 'boolean':
      return value ? '1' : ''
    default:
      if (value === null) return ''
      return compat ? phpNumberCell(value) : value.text
  }
}

/** A quoted CSV cell. */
export function quoted(text: string): string {
  return text.includes('"') ? `"${text.replaceAll('"', '""')}"` : `"${text}"`
}

/** One CSV line with its line end; a row without columns is an empty line. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\n`
}
