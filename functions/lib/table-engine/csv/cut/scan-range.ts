import type { CsvDialect } from '../csv-dialect.ts'
import type { RecordPlace } from '../split-csv.ts'

/**
 * What comes before a cut: the end of a record; else something within one. `open`: the cut lies within quotes or, in a dialect with an
 * escape character, after one. No dialect has both.
 */
export const cutStates = ['record', 'plain', 'open'] as const
type CutState = (typeof cutStates)[number]

/** What one range of a file says about itself, without knowing what comes before it. */
export interface RangeScan {
  lines: number
  /** How it ends and how many records end in it, unless its first byte is within quotes or escaped. */
  plain: Passed
  /** If it is. */
  open: Passed
}

interface Passed {
  state: CutState
  records: number
}

/** The place that a cut has in its file. */
export interface Cut {
  state: CutState
  /** Of the byte behind it. */
  line: number
  /** Records before it that have ended. */
  records: number
}

const LINE_FEED = 0x0a

/** Every line feed ends a line, in quotes or not. */
export const countLines = (bytes: Uint8Array): number => {
  let lines = 0
  for (let index = bytes.indexOf(LINE_FEED); index !== -1; index = bytes.indexOf(LINE_FEED, index + 1))
    lines++
  return lines
}

/**
 * Finds where records end behind a cut. It takes pieces of any size.
 *
 * Counting quotes is enough: a doubled quote closes and opens again, and every other quote inside a cell is an error,
 * which whoever reads the records before it meets first.
 */
export class RecordEnds {
  readonly #enclosure: number | undefined
  readonly #escapedBy: number | undefined
  isOpen: boolean

  constructor({ enclosure, escapedBy }: CsvDialect, isOpen: boolean) {
    this.#enclosure = enclosure
    this.#escapedBy = escapedBy
    this.isOpen = isOpen
  }

  /** The index in `bytes` after the next line break that ends a record; `undefined`: not in these bytes. */
  next(bytes: Uint8Array, from = 0): number | undefined {
    const enclosure = this.#enclosure
    const escapedBy = this.#escapedBy
    let isOpen = this.isOpen
    for (let i = from; i < bytes.length; i++) {
      const byte = bytes[i]
      if (isOpen) isOpen = escapedBy === undefined && byte !== enclosure
      else if (byte === LINE_FEED) {
        this.isOpen = false
        return i + 1
      } else isOpen = (byte === enclosure || byte === escapedBy) && byte !== undefined
    }
    this.isOpen = isOpen
    return undefined
  }
}

/** Scans the bytes of a range for both things that its first one may be. */
export const scanRange = async (
  bytes: AsyncIterable<Uint8Array>,
  dialect: CsvDialect,
): Promise<RangeScan> => {
  const passes = [false, true].map(isOpen => ({
    ends: new RecordEnds(dialect, isOpen),
    records: 0,
    isAtEnd: false,
  }))
  let lines = 0
  for await (const piece of bytes) {
    if (piece.length === 0) continue
    lines += countLines(piece)
    for (const pass of passes) {
      let last = 0
      for (let end = pass.ends.next(piece); end !== undefined; end = pass.ends.next(piece, end)) {
        pass.records++
        last = end
      }
      pass.isAtEnd = last === piece.length
    }
  }
  const [plain, open] = passes.map(
    ({ ends, records, isAtEnd }): Passed => ({
      state: isAtEnd ? 'record' : ends.isOpen ? 'open' : 'plain',
      records,
    }),
  )
  if (!plain || !open) throw new Error('A range has two scans.')
  return { lines, plain, open }
}

/** Before the first record of a file. */
export const firstCut = ({ line }: RecordPlace): Cut => ({ state: 'record', line, records: 0 })

/** The cut behind a range. */
export const nextCut = ({ state, line, records }: Cut, scan: RangeScan): Cut => {
  const passed = state === 'open' ? scan.open : scan.plain
  return { state: passed.state, line: line + scan.lines, records: records + passed.records }
}
