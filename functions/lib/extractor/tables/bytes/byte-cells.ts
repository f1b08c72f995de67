import { parseJson } from '#lib/json/parse-json.ts'
import { cellText } from '../../values/php/cell.ts'
import { phpJsonEncode } from '../../values/php/php-json-encode.ts'
import type { StructureNode } from '../structure-node.ts'
import type { ByteText } from './byte-text.ts'
import { type JsonReader, misfit, QUOTE, SMALL_N } from './json-reader.ts'
import { FALSE, NULL, numberOf, type SerialWriter, TRUE } from './serial-writer.ts'

const ONE = 49

/** Single values as cells, and as part of what a link is hashed from. */
export class ByteCells {
  readonly #reader: JsonReader
  readonly #serial: SerialWriter
  readonly #compat: boolean
  readonly #nestedList: (path: string) => void

  constructor(reader: JsonReader, serial: SerialWriter, compat: boolean, nestedList: (path: string) => void) {
    this.#reader = reader
    this.#serial = serial
    this.#compat = compat
    this.#nestedList = nestedList
  }

  /** A list inside a list, which becomes JSON text, and the quote after it. */
  nestedList(node: StructureNode, rows: ByteText): void {
    const reader = this.#reader
    const { at } = reader
    reader.skip()
    const value = parseJson(reader.body.subarray(at, reader.at))
    const text = Buffer.from(phpJsonEncode(value, !this.#compat))
    rows.copyCell(text, 0, text.length)
    rows.byte(QUOTE)
    this.#nestedList(node.path.join('.'))
  }

  /** A scalar that comes next, and the quote after it. */
  scalar(rows: ByteText, isHashed: boolean): void {
    const reader = this.#reader
    const serial = this.#serial
    const first = reader.next()
    if (first === QUOTE) {
      reader.text()
      if (reader.hasEscapes) rows.copyCell(reader.source, reader.start, reader.end)
      else rows.copy(reader.source, reader.start, reader.end)
      if (isHashed) serial.text()
    } else if (first === SMALL_N) this.null(isHashed)
    else if (reader.takes(TRUE)) {
      rows.byte(ONE)
      if (isHashed) serial.bool(true)
    } else if (reader.takes(FALSE)) {
      if (isHashed) serial.bool(false)
    } else {
      reader.number()
      if (this.#compat && !reader.isShortInteger) rows.ascii(cellText(numberOf(reader.lastNumber()), true))
      else rows.copy(reader.source, reader.start, reader.end)
      if (isHashed) serial.number()
    }
    rows.byte(QUOTE)
  }

  /** A null that comes next. */
  null(isHashed: boolean): void {
    if (!this.#reader.takes(NULL)) throw misfit
    if (isHashed) this.#serial.null()
  }
}
