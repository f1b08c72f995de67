import type { CsvDialect } from '../csv-dialect.ts'

/**
 * What a byte in the middle of a file may mean. `plain`: what it says. `open`: it lies within quotes or, in a dialect
 * with an escape character, after one. No dialect has both, so there is no third case.
 */
export type CutState = 'plain' | 'open'

const LINE_FEED = 0x0a

/**
 * Finds where the first record begins after a cut, if the cut is in one of the two states. It takes pieces of any size.
 *
 * Counting quotes is enough: a doubled quote closes and opens again, and every other quote inside a cell is an error,
 * which the records before it show first.
 */
export class RecordStart {
  readonly #enclosure: number | undefined
  readonly #escapedBy: number | undefined
  #isOpen: boolean

  constructor({ enclosure, escapedBy }: CsvDialect, state: CutState) {
    this.#enclosure = enclosure
    this.#escapedBy = escapedBy
    this.#isOpen = state === 'open'
  }

  /** The index in `bytes` after the first line break that ends a record; `undefined`: not in these bytes. */
  find(bytes: Uint8Array): number | undefined {
    const enclosure = this.#enclosure
    const escapedBy = this.#escapedBy
    let isOpen = this.#isOpen
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i]
      if (isOpen) isOpen = escapedBy === undefined && byte !== enclosure
      else if (byte === LINE_FEED) return i + 1
      else isOpen = (byte === enclosure || byte === escapedBy) && byte !== undefined
    }
    this.#isOpen = isOpen
    return undefined
  }
}
