import type { CsvDialect } from '../csv-dialect.ts'
import { type CsvDefect, CsvError } from '../csv-error.ts'
import { CsvScanner } from '../csv-scanner.ts'
import { TextPieces } from '../text-pieces.ts'

/** A part of a CSV file, cut anywhere. It has the records that begin in it, the last of which may end after it. */
export interface CsvRange {
  /** In bytes. */
  start: number
  end: number
  /** The first byte begins a record. Otherwise nothing is known about it. */
  beginsRecord: boolean
}

export interface CsvFormat {
  dialect: CsvDialect
  /** Cells in each record. */
  columns: number
  /** Names the file in errors when there are several. */
  source?: string | undefined
  maxRecordBytes?: number
}

/** What a range is if its cut is in one of the two states. All lines are counted from the range's start, as line 1. */
export interface RangeReading {
  /** Where the first record begins in the range. */
  start: number
  line: number
  /** Where the first record begins after the range: at its end or later. The end of the file if there is none. */
  end: number
  records: number
  /** The first thing wrong. Then `end` and `records` mean nothing. */
  defect?: CsvDefect | undefined
}

/** Reads a range on the assumption that the byte before it is in a state. It takes pieces of any size. */
export class RangeReader {
  readonly #range: CsvRange
  readonly #begin: RecordStart
  readonly #scanner: CsvScanner
  readonly #text: TextPieces
  #reading: RangeReading | undefined
  #isDone = false

  constructor(range: CsvRange, format: CsvFormat, state: CutState) {
    this.#range = range
    this.#begin = new RecordStart(format.dialect, state)
    this.#scanner = new CsvScanner(format)
    this.#text = new TextPieces(this.#scanner.refuse)
    if (range.beginsRecord) this.#startRecords(range.start, 1)
  }

  /** No more bytes are needed. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** `undefined`: no record begins in the range. */
  get reading(): RangeReading | undefined {
    return this.#reading
  }

  /** `offset`: of the first byte of `bytes` in the file; `line`: counted from the range's start. */
  read(bytes: Uint8Array, { offset, line }: { offset: number; line: number }): void {
    if (this.#isDone) return
    if (this.#reading) this.#guard(() => this.#scan(this.#text.next(bytes)))
    else this.#seek(bytes, { offset, line })
  }

  #seek(bytes: Uint8Array, { offset, line }: { offset: number; line: number }): void {
    const { end } = this.#range
    const index = this.#begin.find(bytes)
    this.#isDone = offset + (index ?? bytes.length) >= end
    if (index === undefined || this.#isDone) return
    this.#startRecords(offset + index, line + countLines(bytes.subarray(0, index)))
    this.#guard(() => this.#scan(this.#text.next(bytes.subarray(index))))
  }

  /** The file has ended. */
  finish(): void {
    if (this.#isDone || !this.#reading) return
    this.#guard(() => {
      this.#scan(this.#text.last())
      if (this.#isDone) return
      this.#scanner.finish()
      this.#end()
    })
  }

  #startRecords(start: number, line: number): void {
    this.#scanner.skip(start, line - 1)
    this.#scanner.stopAfter(this.#range.end - start)
    this.#reading = { start, line, end: start, records: 0 }
  }

  #scan(pieces: Iterable<Uint8Array>): void {
    for (const bytes of pieces) {
      this.#scanner.scan(bytes)
      if (!this.#scanner.stopped) continue
      this.#end()
      return
    }
  }

  #end(): void {
    const { records } = this.#scanner.takeFacts()
    this.#isDone = true
    if (this.#reading) this.#reading = { ...this.#reading, end: this.#scanner.offset, records }
  }

  #guard(scan: () => void): void {
    try {
      scan()
    } catch (error) {
      if (!(error instanceof CsvError)) throw error
      this.#isDone = true
      if (this.#reading) this.#reading.defect = error.defect
    }
  }
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
 * What a byte in the middle of a file may mean. `plain`: what it says. `open`: it lies within quotes or, in a dialect
 * with an escape character, after one. No dialect has both, so there is no third case.
 */
type CutState = 'plain' | 'open'

/**
 * Finds where the first record begins after a cut, if the cut is in one of the two states. It takes pieces of any size.
 *
 * Counting quotes is enough: a doubled quote closes and opens again, and every other quote inside a cell is an error,
 * which the records before it show first.
 */
class RecordStart {
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
