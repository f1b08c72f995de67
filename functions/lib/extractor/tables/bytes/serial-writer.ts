import { JsonNumber } from '#lib/json/json-number.ts'
import { phpFloat } from '../../values/php/php-float.ts'
import { phpSerialize } from '../../values/php/php-serialize.ts'
import { ByteText } from './byte-text.ts'
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  type JsonReader,
  misfit,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from './json-reader.ts'

export const TRUE: Buffer = Buffer.from('true')
export const FALSE: Buffer = Buffer.from('false')
export const NULL: Buffer = Buffer.from('null')
const object = Buffer.from('O:8:"stdClass":')
const list = Buffer.from('a:')
const opened = Buffer.from(':{')
const truth = Buffer.from('b:1;')
const falsehood = Buffer.from('b:0;')
const nothing = Buffer.from('N;')
const SEMICOLON = 59
const SMALL_D = 100
const SMALL_I = 105
const SMALL_S = 115

/** PHP's `serialize` of JSON, from the bytes of one to those of the other (`phpSerialize` does the same with values). */
export class SerialWriter {
  readonly out = new ByteText()
  readonly #reader: JsonReader

  constructor(reader: JsonReader) {
    this.#reader = reader
  }

  /** A value that comes next. */
  value(): void {
    const reader = this.#reader
    const first = reader.next()
    if (first === QUOTE) {
      reader.text()
      this.text()
    } else if (first === OPEN_OBJECT) this.#object()
    else if (first === OPEN_LIST) this.list()
    else if (reader.takes(TRUE)) this.bool(true)
    else if (reader.takes(FALSE)) this.bool(false)
    else if (reader.takes(NULL)) this.null()
    else {
      reader.number()
      this.number()
    }
  }

  /** A list that comes next. Returns the number of its items. */
  list(): number {
    const reader = this.#reader
    const { out } = this
    out.append(list)
    const countAt = this.#openCount()
    let count = 0
    if (reader.opens(OPEN_LIST, CLOSE_LIST))
      do {
        out.byte(SMALL_I)
        out.byte(COLON)
        out.count(count++)
        out.byte(SEMICOLON)
        this.value()
      } while (reader.hasMore(CLOSE_LIST))
    out.byte(CLOSE_OBJECT)
    out.replaceDigit(countAt, count)
    return count
  }

  #object(): void {
    const reader = this.#reader
    const countAt = this.openObject()
    let count = 0
    if (reader.opens(OPEN_OBJECT, CLOSE_OBJECT))
      do {
        if (reader.next() !== QUOTE) throw misfit
        reader.text()
        this.text()
        reader.expect(COLON)
        this.value()
        count++
      } while (reader.hasMore(CLOSE_OBJECT))
    this.closeObject(countAt, count)
  }

  /** Returns where the number of fields is. */
  openObject(): number {
    this.out.append(object)
    return this.#openCount()
  }

  /** Returns by how much what is behind the number of fields has moved. */
  closeObject(countAt: number, count: number): number {
    this.out.byte(CLOSE_OBJECT)
    return this.out.replaceDigit(countAt, count)
  }

  /** A number of one digit, until it is known. */
  #openCount(): number {
    this.out.count(0)
    this.out.append(opened)
    return this.out.length - 1 - opened.length
  }

  /** The text that was read last. */
  text(): void {
    const { source, start, end } = this.#reader
    const { out } = this
    out.byte(SMALL_S)
    out.byte(COLON)
    out.count(end - start)
    out.byte(COLON)
    out.byte(QUOTE)
    out.copy(source, start, end)
    out.byte(QUOTE)
    out.byte(SEMICOLON)
  }

  /** The number that was read last. */
  number(): void {
    const reader = this.#reader
    const { out } = this
    if (reader.isInteger && !reader.isShortInteger) {
      out.ascii(phpSerialize(numberOf(reader.lastNumber())))
      return
    }
    out.byte(reader.isInteger ? SMALL_I : SMALL_D)
    out.byte(COLON)
    if (reader.isInteger) out.copy(reader.source, reader.start, reader.end)
    else out.ascii(phpFloat(Number(reader.lastNumber()), 17))
    out.byte(SEMICOLON)
  }

  bool(value: boolean): void {
    this.out.append(value ? truth : falsehood)
  }

  null(): void {
    this.out.append(nothing)
  }
}

/** What `parseJson` makes of a number. */
export const numberOf = (digits: string): number | JsonNumber => {
  const value = Number(digits)
  return `${value}` === digits ? value : new JsonNumber(digits)
}
