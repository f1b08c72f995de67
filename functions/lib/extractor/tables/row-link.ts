import { hash } from 'node:crypto'
import { type ExtraColumns, phpSerializeRow } from '../php/php-serialize.ts'
import type { JsonObject } from './json-value.ts'

/**
 * The link between a row and the rows of its lists (docs/reference/extractor-tables.md#links), made when first asked
 * for: most rows have no list.
 *
 * `<dot path>_<md5>`; the hash is over the row with its parent columns, and over the link of the enclosing object.
 */
export class RowLink {
  readonly #path: string
  readonly #row: JsonObject
  readonly #extra: ExtraColumns | undefined
  readonly #outer: RowLink | undefined
  #made: string | undefined

  constructor(path: string, row: JsonObject, extra: ExtraColumns | undefined, outer: RowLink | undefined) {
    this.#path = path
    this.#row = row
    this.#extra = extra
    this.#outer = outer
  }

  get text(): string {
    this.#made ??= rowLink(this.#path, this.#row, this.#extra, this.#outer?.text ?? '')
    return this.#made
  }
}

export const rowLink = (
  path: string,
  row: JsonObject,
  extra: ExtraColumns | undefined,
  outerLink: string,
): string => `${path}_${hash('md5', phpSerializeRow(row, extra) + outerLink, 'hex')}`
