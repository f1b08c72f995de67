import type { CsvDialect } from './csv-dialect.ts'
import { PROBLEMS, raggedRecord, wrongSyntax } from './csv-error.ts'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

const PLAIN = 0
const DELIMITER = 1
const ENCLOSURE = 2
const NEW_LINE = 3
const RETURN = 4
const ESCAPE = 5

/** The scanner's state between two bytes. */
const IN_CELL = 0
const IN_QUOTES = 1
const AFTER_QUOTE = 2
const AFTER_RETURN = 3
const AFTER_ESCAPE = 4

/**
 * Maximal length of a record. A record must fit into memory several times, and a quote that is never closed would
 * otherwise make one record of the rest of the file.
 */
const MAX_RECORD_BYTES = 32 * 1024 * 1024

interface CsvScannerOptions {
  dialect: CsvDialect
  /** The number of cells that each record must have. Undefined: as many as the first. */
  columns?: number | undefined
  /** Names the file in errors when there are several, such as `slice 2 of 3`. */
  source?: string | undefined
  maxRecordBytes?: number
}

/** Facts about the records since the last {@link CsvScanner.takeFacts}. */
export interface CsvFacts {
  records: number
  hasReturns: boolean
  hasBlankLines: boolean
}

/**
 * Checks every byte of a CSV file against RFC 4180 (section 2), without copying. It takes pieces of any size, which may
 * end within a record.
 *
 * Each record must have the same number of cells, quotes must be in their places, and lines must end with LF or CRLF.
 * Otherwise it throws a `UserError` that says where. In only two ways it is more lenient than the RFC: LF also ends a
 * line, and a record of one cell may be blank, as may the last lines of any file, which are no records. `split-csv.ts` refuses NUL bytes and invalid UTF-8.
 */
export class CsvScanner {
  readonly #source: string | undefined
  readonly #maxRecordBytes: number
  readonly #classes: Uint8Array
  #columns: number
  #state = IN_CELL
  /** Bytes of the file before the next one. */
  #offset = 0
  #line = 1
  #cells = 1
  #cellStart = 0
  /** Of a record, or of the blank lines before it, which are wrong unless they end the file. */
  #recordStart = 0
  #blankLines = 0
  #recordLine = 1
  #quoteOffset = 0
  #quoteLine = 1
  #stopAt = Number.POSITIVE_INFINITY
  #stopped = false
  #records = 0
  #hasReturns = false
  #hasBlankLines = false

  constructor({ dialect, columns, source, maxRecordBytes = MAX_RECORD_BYTES }: CsvScannerOptions) {
    this.#columns = columns ?? 0
    this.#source = source
    this.#maxRecordBytes = maxRecordBytes
    this.#classes = classifyBytes(dialect)
  }

  /** Cells in each record. 0 before the first record. */
  get columns(): number {
    return this.#columns
  }

  get offset(): number {
    return this.#offset
  }

  get line(): number {
    return this.#line
  }

  /** Whether the last {@link scan} stopped where {@link stopAfter} asked. */
  get stopped(): boolean {
    return this.#stopped
  }

  /** Makes {@link scan} stop after the first record that ends `bytes` or more bytes from here. */
  stopAfter(bytes: number): void {
    this.#stopAt = this.#offset + bytes
    this.#stopped = false
  }

  /** Skips bytes that are not CSV (a byte order mark, ignored lines). Only between records. */
  skip(bytes: number, lines: number): void {
    this.#offset += bytes
    this.#line += lines
    this.#startRecord(this.#offset)
  }

  /** Scans `bytes` from index `from`. Returns the index after the last scanned byte: the end, or where it stopped. */
  scan(bytes: Uint8Array, from = 0): number {
    // Everything in the loop is local: a field costs a memory access for every byte.
    const classes = this.#classes
    const end = bytes.length
    const base = this.#offset - from
    let state = this.#state
    let i = from
    while (i < end) {
      if (state === IN_CELL) {
        let kind = PLAIN
        // Indexes below `end` always hold a byte. `?? 0` would slow down the hottest loop of the import.
        do kind = classes[bytes[i++] as number] as number
        while (kind === PLAIN && i < end)
        if (kind === PLAIN) break
        if (kind === DELIMITER) {
          this.#cells++
          this.#cellStart = base + i
        } else if (kind === NEW_LINE) {
          if (this.#endRecord(base + i, 1)) return this.#leave(state, i, base)
        } else if (kind === ENCLOSURE) {
          if (this.#cellStart !== base + i - 1) throw this.#fail(base + i - 1, this.#line, 'strayQuote')
          this.#quoteOffset = base + i - 1
          this.#quoteLine = this.#line
          state = IN_QUOTES
        } else {
          state = kind === RETURN ? AFTER_RETURN : AFTER_ESCAPE
        }
      } else if (state === IN_QUOTES) {
        let kind = PLAIN
        do {
          kind = classes[bytes[i++] as number] as number // within bounds, as above
          if (kind === NEW_LINE) this.#line++
        } while (kind !== ENCLOSURE && i < end)
        if (kind === ENCLOSURE) state = AFTER_QUOTE
      } else if (state === AFTER_QUOTE) {
        const kind = classes[bytes[i++] as number] // within bounds, as above
        state = IN_CELL
        if (kind === DELIMITER) {
          this.#cells++
          this.#cellStart = base + i
        } else if (kind === NEW_LINE) {
          if (this.#endRecord(base + i, 1)) return this.#leave(state, i, base)
        } else if (kind === ENCLOSURE) state = IN_QUOTES
        else if (kind === RETURN) state = AFTER_RETURN
        else throw this.#fail(base + i - 1, this.#line, 'textAfterQuote')
      } else if (state === AFTER_RETURN) {
        if (bytes[i++] !== LINE_FEED) throw this.#loneReturn(base + i - 2)
        this.#hasReturns = true
        state = IN_CELL
        if (this.#endRecord(base + i, 2)) return this.#leave(state, i, base)
      } else {
        if (bytes[i++] === LINE_FEED) this.#line++
        state = IN_CELL
      }
    }
    this.#leave(state, i, base)
    if (this.#offset - this.#recordStart > this.#maxRecordBytes) throw this.#tooLong()
    return i
  }

  /** Ends the file. Returns how many of its last bytes are blank lines, which belong to no record. */
  finish(): number {
    const state = this.#state
    if (state === IN_QUOTES) throw this.#fail(this.#quoteOffset, this.#quoteLine, 'unclosedQuote')
    if (state === AFTER_RETURN) throw this.#loneReturn(this.#offset - 1)
    if (state === AFTER_ESCAPE) throw this.#fail(this.#offset - 1, this.#line, 'escapeAtEnd')
    this.#state = IN_CELL
    // The last line break ends the file and does not begin an empty record.
    const isAtLineStart = this.#offset === this.#cellStart && this.#cells === 1
    if (!isAtLineStart) this.#endRecord(this.#offset, 0)
    const blankBytes = this.#offset - this.#recordStart
    this.#startRecord(this.#offset)
    return blankBytes
  }

  /** The error for what is wrong where it has come to. */
  readonly refuse = (problem: string, advice: string): Error =>
    wrongSyntax({ source: this.#source, offset: this.#offset, line: this.#line, problem, advice })

  takeFacts(): CsvFacts {
    const facts = {
      records: this.#records,
      hasReturns: this.#hasReturns,
      hasBlankLines: this.#hasBlankLines,
    }
    this.#records = 0
    this.#hasReturns = false
    this.#hasBlankLines = false
    return facts
  }

  #leave(state: number, i: number, base: number): number {
    this.#state = state
    this.#offset = base + i
    return i
  }

  /** Whether to stop here. `breakBytes`: the length of the line break before `end`. */
  #endRecord(end: number, breakBytes: number): boolean {
    const length = end - this.#recordStart
    if (length > this.#maxRecordBytes) throw this.#tooLong()
    const isBlank = this.#cells === 1 && end - this.#cellStart === breakBytes
    if (this.#columns === 0) this.#columns = this.#cells
    else if (isBlank && this.#columns > 1) {
      // A record after it shows whether it is one of the last lines.
      this.#blankLines++
      this.#line++
      this.#cellStart = end
      return false
    } else if (this.#cells !== this.#columns || this.#blankLines > 0) {
      throw raggedRecord({
        ...this.#recordPosition(),
        cells: this.#blankLines > 0 ? 1 : this.#cells,
        columns: this.#columns,
        isBlank: this.#blankLines > 0,
      })
    }
    if (isBlank) this.#hasBlankLines = true
    this.#records++
    this.#line++
    this.#startRecord(end)
    if (end < this.#stopAt) return false
    this.#stopped = true
    this.#stopAt = Number.POSITIVE_INFINITY
    return true
  }

  #startRecord(offset: number): void {
    this.#recordStart = offset
    this.#recordLine = this.#line
    this.#cellStart = offset
    this.#cells = 1
    this.#blankLines = 0
  }

  #recordPosition(): { source: string | undefined; offset: number; line: number } {
    return { source: this.#source, offset: this.#recordStart, line: this.#recordLine }
  }

  #loneReturn(offset: number): Error {
    if (offset + 1 - this.#recordStart > this.#maxRecordBytes) return this.#tooLong() // the next byte shows the error
    return this.#fail(offset, this.#line, 'loneReturn')
  }

  #tooLong(): Error {
    return wrongSyntax({
      ...this.#recordPosition(),
      problem: `The record that begins here is longer than ${this.#maxRecordBytes} bytes`,
      advice: 'Most often a quote in it is never closed',
    })
  }

  /** The error at `offset`, or that the record is too long there already: the same, however the file is cut. */
  #fail(offset: number, line: number, problem: keyof typeof PROBLEMS): Error {
    if (offset - this.#recordStart > this.#maxRecordBytes) return this.#tooLong()
    return wrongSyntax({ source: this.#source, offset, line, ...PROBLEMS[problem] })
  }
}

const classifyBytes = ({ delimiter, enclosure, escapedBy }: CsvDialect): Uint8Array => {
  const classes = new Uint8Array(256)
  classes[delimiter] = DELIMITER
  classes[LINE_FEED] = NEW_LINE
  classes[CARRIAGE_RETURN] = RETURN
  if (enclosure !== undefined) classes[enclosure] = ENCLOSURE
  if (escapedBy !== undefined) classes[escapedBy] = ESCAPE
  return classes
}
