/** Cuts JSON into the texts of its rows. */

export interface JsonText {
  bytes: Uint8Array
  /** Of its first byte in the file; lines from 1. */
  offset: number
  line: number
}

const LINE_FEED = 0x0a
const COMMA = 0x2c
const QUOTE = 0x22
const BACKSLASH = 0x5c
/** By this bit brackets differ from braces. */
const BRACE = 0x20
const OPENS = 0x7b
const CLOSES = 0x7d

const LONGEST_VALUE_BYTES = 64 * 1024 ** 2

/**
 * The values of a list, or the lines of a file that are not blank, of pieces of any size. What they hold is not looked at.
 *
 * @param refuse makes the error for what is wrong at `offset` and `line`
 */
export class JsonValues {
  readonly #isList: boolean
  readonly #refuse: (problem: string) => Error
  /** Of the next byte. */
  offset = 0
  line = 1
  #begun: Uint8Array[] = []
  #begunBytes = 0
  #start = { offset: 0, line: 1 }
  #depth = 0
  #isInText = false
  #isEscaped = false
  #isEnded = false
  #count = 0

  constructor(isList: boolean, refuse: (problem: string) => Error) {
    this.#isList = isList
    this.#refuse = refuse
  }

  *next(bytes: Uint8Array): Generator<JsonText> {
    const base = this.offset
    yield* this.#isList ? this.#cutList(bytes, base) : this.#cutLines(bytes, base)
    this.offset = base + bytes.length
    if (this.#begunBytes > LONGEST_VALUE_BYTES)
      throw this.#refuse(`A row is longer than ${LONGEST_VALUE_BYTES} bytes here`)
  }

  /** The file has ended. */
  *last(): Generator<JsonText> {
    if (!this.#isList) yield* this.#take(new Uint8Array(0))
    else if (!this.#isEnded) throw this.#refuse('The list is not closed: the file is cut off')
  }

  *#cutLines(bytes: Uint8Array, base: number): Generator<JsonText> {
    let from = 0
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, from)) {
      yield* this.#take(bytes.subarray(from, end))
      from = end + 1
      this.line++
      this.#start = { offset: base + from, line: this.line }
    }
    this.#hold(bytes.subarray(from))
  }

  *#cutList(bytes: Uint8Array, base: number): Generator<JsonText> {
    let from = 0
    const begin = (index: number): void => {
      from = index
      this.#start = { offset: base + index, line: this.line }
    }
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i] as number // within the length
      if (byte === LINE_FEED) this.line++
      if (this.#isInText) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (byte === BACKSLASH) this.#isEscaped = true
        else if (byte === QUOTE) this.#isInText = false
      } else if (this.#isEnded) {
        if (isSpace(byte)) continue
        this.offset = base + i
        throw this.#refuse('Something follows the end of the list')
      } else if (byte === QUOTE) this.#isInText = true
      else if ((byte | BRACE) === OPENS) {
        if (this.#depth++ === 0) begin(i + 1)
      } else if ((byte | BRACE) === CLOSES) {
        this.#isEnded = --this.#depth === 0
        this.offset = base + i
        if (this.#isEnded) yield* this.#takeOfList(bytes.subarray(from, i), true)
      } else if (byte === COMMA && this.#depth === 1) {
        this.offset = base + i
        yield* this.#takeOfList(bytes.subarray(from, i), false)
        begin(i + 1)
      }
    }
    if (!this.#isEnded && this.#depth > 0) this.#hold(bytes.subarray(from))
  }

  *#takeOfList(end: Uint8Array, isLast: boolean): Generator<JsonText> {
    const [value] = [...this.#take(end)]
    if (value === undefined && isLast && this.#count === 0) return
    if (value === undefined) throw this.#refuse('The list has a comma too many')
    this.#count++
    yield value
  }

  *#take(end: Uint8Array): Generator<JsonText> {
    const bytes = joined([...this.#begun, end])
    this.#begun = []
    this.#begunBytes = 0
    const first = bytes.findIndex(byte => !isSpace(byte))
    if (first === -1) return
    const { offset, line } = this.#start
    const lines = bytes.subarray(0, first).filter(byte => byte === LINE_FEED).length
    yield { bytes: bytes.subarray(first), offset: offset + first, line: line + lines }
  }

  /** A copy: whoever gave the bytes may fill them anew. */
  #hold(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#begun.push(new Uint8Array(bytes))
    this.#begunBytes += bytes.length
  }
}

const isSpace = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)

const joined = (pieces: readonly Uint8Array[]): Uint8Array => {
  const [only] = pieces
  if (only && pieces.length === 1) return only
  const whole = new Uint8Array(pieces.reduce((bytes, piece) => bytes + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
