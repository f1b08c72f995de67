import { ByteText } from './byte-text.ts'

/** What is read is no JSON, or such that other code has to read it. Has no stack, because it is thrown often. */
export const misfit: Error = Object.assign(new Error('other code has to read it'), { stack: '' })

/**
 * Reads the bytes of a JSON document, which has to be valid UTF-8, value by value. It gives no values but says where they are. Whatever is
 * no JSON throws `misfit`, and so do escapes of half a character and of NUL.
 */
export class JsonReader {
  body: Buffer = Buffer.alloc(0)
  at = 0
  /** Where the text that was read last is, without its escapes; or the number. */
  source: Buffer = this.body
  start = 0
  end = 0
  /** Whether the text had escapes: only then it can have quotes. */
  hasEscapes = false
  /** Whether the number that was read last has neither a point nor an exponent, and whether it has few digits besides. */
  isInteger = false
  isShortInteger = false
  readonly #plain = new ByteText()

  /** The byte after blanks, which it does not pass. `-1` at the end. */
  next(): number {
    const byte = this.body[this.at] ?? -1
    return byte > SPACE ? byte : this.#afterBlanks()
  }

  #afterBlanks(): number {
    const { body } = this
    while (isBlank(body[this.at])) this.at++
    return body[this.at] ?? -1
  }

  /** Passes these bytes, when they are next. */
  takes(bytes: Buffer): boolean {
    const { body, at } = this
    if (at + bytes.length > body.length) return false
    for (let i = 0; i < bytes.length; i++) if (body[at + i] !== bytes[i]) return false
    this.at = at + bytes.length
    return true
  }

  /** Passes a byte after blanks. */
  expect(byte: number): void {
    if (this.next() !== byte) throw misfit
    this.at++
  }

  /** Passes the beginning of a list or an object, and its end when nothing is in it. Whether something is. */
  opens(open: number, close: number): boolean {
    this.expect(open)
    if (this.next() !== close) return true
    this.at++
    return false
  }

  /** After a value in a list or an object: whether another one follows. */
  hasMore(close: number): boolean {
    const byte = this.next()
    if (byte !== COMMA && byte !== close) throw misfit
    this.at++
    return byte === COMMA
  }

  /** Passes a text that begins here. */
  text(): void {
    const { body } = this
    const start = this.at + 1
    for (let at = start; at < body.length; at++) {
      const byte = body[at] as number // below the length
      if (byte === QUOTE) {
        this.source = body
        this.start = start
        this.end = at
        this.hasEscapes = false
        this.at = at + 1
        return
      }
      if (byte === BACKSLASH) {
        this.#escapedText(start, at)
        return
      }
      if (byte < SPACE) throw misfit
    }
    throw misfit
  }

  /** Passes a number that begins here. */
  number(): void {
    const { body, at: start } = this
    let at = start
    const isNegative = body[at] === MINUS
    if (isNegative) at++
    const first = at
    while (isDigit(body[at])) at++
    if (at === first || (body[first] === ZERO && at > first + 1)) throw misfit
    this.isInteger = true
    const hasFewDigits = at - first <= SHORT_DIGITS && !(isNegative && body[first] === ZERO)
    if (body[at] === POINT) {
      const point = at++
      while (isDigit(body[at])) at++
      if (at === point + 1) throw misfit
      this.isInteger = false
    }
    if (body[at] === SMALL_E || body[at] === LARGE_E) {
      at++
      if (body[at] === PLUS || body[at] === MINUS) at++
      const exponent = at
      while (isDigit(body[at])) at++
      if (at === exponent) throw misfit
      this.isInteger = false
    }
    this.isShortInteger = hasFewDigits && this.isInteger
    this.source = body
    this.start = start
    this.end = at
    this.at = at
  }

  lastNumber(): string {
    return this.source.toString('latin1', this.start, this.end)
  }

  lastText(): string {
    return this.source.toString('utf8', this.start, this.end)
  }

  /** Passes a value of any kind without a look at what is wrong with it. */
  skip(): void {
    let depth = 0
    do {
      const byte = this.next()
      if (byte === QUOTE) this.text()
      else {
        if (byte === -1) throw misfit
        if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++
        else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--
        this.at++
        if (byte > COMMA && depth === 0) while (isOfWord(this.body[this.at])) this.at++
      }
    } while (depth > 0)
  }

  #escapedText(start: number, firstEscape: number): void {
    const { body } = this
    let end = firstEscape
    while (end < body.length && body[end] !== QUOTE) end += body[end] === BACKSLASH ? 2 : 1
    if (end >= body.length) throw misfit
    const plain = this.#plain
    plain.length = 0
    plain.copy(body, start, firstEscape)
    for (let at = firstEscape; at < end; at++) {
      const byte = body[at] as number // below the length
      if (byte < SPACE) throw misfit
      if (byte !== BACKSLASH) plain.byte(byte)
      else {
        const letter = body[++at] as number // the closing quote comes after it
        if (letter === SMALL_U) {
          at = this.#character(at)
          continue
        }
        const meant = escapes[letter]
        if (meant === undefined) throw misfit
        plain.byte(meant)
      }
    }
    this.source = plain.bytes
    this.start = 0
    this.end = plain.length
    this.hasEscapes = true
    this.at = end + 1
  }

  /** The character of `\u1234`, or of two of them, whose letter is at a place. Returns where it ends. */
  #character(at: number): number {
    const unit = this.#unit(at + 1)
    if (unit === 0) throw misfit
    if (unit < 0xd800 || unit > 0xdfff) {
      appendCharacter(this.#plain, unit)
      return at + 4
    }
    const low = this.body[at + 5] === BACKSLASH && this.body[at + 6] === SMALL_U ? this.#unit(at + 7) : 0
    if (unit > 0xdbff || low < 0xdc00 || low > 0xdfff) throw misfit
    appendCharacter(this.#plain, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00))
    return at + 10
  }

  #unit(at: number): number {
    let unit = 0
    for (let i = at; i < at + 4; i++) {
      const byte = this.body[i] ?? 0
      const letter = byte | 32
      if (isDigit(byte)) unit = unit * 16 + byte - ZERO
      else if (letter >= SMALL_A && letter <= SMALL_F) unit = unit * 16 + letter - SMALL_A + 10
      else throw misfit
    }
    return unit
  }
}

const appendCharacter = (text: ByteText, code: number): void => {
  if (code < 0x80) text.byte(code)
  else {
    if (code < 0x800) text.byte(0xc0 | (code >> 6))
    else {
      if (code < 0x10000) text.byte(0xe0 | (code >> 12))
      else {
        text.byte(0xf0 | (code >> 18))
        text.byte(0x80 | ((code >> 12) & 0x3f))
      }
      text.byte(0x80 | ((code >> 6) & 0x3f))
    }
    text.byte(0x80 | (code & 0x3f))
  }
}

/** A double keeps every whole number of so many digits. */
const SHORT_DIGITS = 15

export const isBlank = (byte: number | undefined): boolean =>
  byte === SPACE || byte === LINE_FEED || byte === RETURN || byte === TAB

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE

/** Of a number or a literal. */
const isOfWord = (byte: number | undefined): boolean =>
  byte !== undefined &&
  byte > SPACE &&
  byte !== COMMA &&
  byte !== CLOSE_LIST &&
  byte !== CLOSE_OBJECT &&
  byte !== QUOTE

const TAB = 9
const LINE_FEED = 10
const RETURN = 13
const SPACE = 32
const PLUS = 43
const MINUS = 45
const POINT = 46
const ZERO = 48
const NINE = 57
const LARGE_E = 69
const SMALL_A = 97
const SMALL_E = 101
const SMALL_F = 102
const SMALL_U = 117
export const QUOTE = 34
export const COMMA = 44
export const COLON = 58
export const OPEN_LIST = 91
const BACKSLASH = 92
export const CLOSE_LIST = 93
export const SMALL_N = 110
export const OPEN_OBJECT = 123
export const CLOSE_OBJECT = 125

/** What the letter after a backslash means. */
const escapes: Readonly<Record<number, number>> = {
  34: 34,
  47: 47,
  92: 92,
  98: 8,
  102: 12,
  110: LINE_FEED,
  114: RETURN,
  116: TAB,
}
