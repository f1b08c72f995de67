import type { ColumnBytes } from './byte-plan.ts'
import { ByteText } from './byte-text.ts'
import { CLOSE_OBJECT, COMMA, OPEN_OBJECT } from './json-reader.ts'

/** The values of one field of a page's items, as JSON of a list of them with that field alone. */
export class WatchedValues {
  readonly #text = new ByteText()

  clear(): void {
    this.#text.length = 0
  }

  /** The value of a field, from its first byte to its end. */
  add({ keyAndColon }: ColumnBytes, body: Buffer, start: number, end: number): void {
    const text = this.#text
    text.byte(OPEN_OBJECT)
    text.append(keyAndColon)
    text.copy(body, start, end)
    text.byte(CLOSE_OBJECT)
    text.byte(COMMA)
  }

  json(): string {
    const { bytes, length } = this.#text
    return `[${Buffer.from(bytes.buffer, 0, length).toString().slice(0, -1)}]`
  }
}
