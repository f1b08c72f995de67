import { countUnfinishedBytes, findTextDefect } from './check-text.ts'
import { CsvError } from './csv-error.ts'
import type { CsvScanner } from './csv-scanner.ts'

/**
 * Makes pieces of a file into pieces that are text and end between characters, for a scanner.
 *
 * A piece with a defect is first passed on up to the defect, because an error in there comes earlier in the file. Then
 * it throws `UserError` `invalidCsv`.
 */
export class TextPieces {
  readonly #scanner: CsvScanner
  readonly #source: string | undefined
  #unfinished: Uint8Array = new Uint8Array(0)

  constructor(scanner: CsvScanner, source: string | undefined) {
    this.#scanner = scanner
    this.#source = source
  }

  /** What is yielded is a part of what has arrived, or a character that began in an earlier piece. Nothing else is kept. */
  *next(arrived: Uint8Array): Generator<Uint8Array> {
    let bytes = arrived
    while (this.#unfinished.length > 0 && bytes.length > 0) {
      const joined = Buffer.concat([this.#unfinished, bytes.subarray(0, 1)])
      bytes = bytes.subarray(1)
      const isUnfinished = countUnfinishedBytes(joined) === joined.length
      this.#unfinished = isUnfinished ? joined : new Uint8Array(0)
      if (!isUnfinished) yield* this.#check(joined)
    }
    if (bytes.length === 0) return
    const whole = bytes.length - countUnfinishedBytes(bytes)
    this.#unfinished = Buffer.from(bytes.subarray(whole))
    yield* this.#check(bytes.subarray(0, whole))
  }

  /** What is left at the end of the file. */
  *last(): Generator<Uint8Array> {
    yield* this.#check(this.#unfinished)
  }

  *#check(bytes: Uint8Array): Generator<Uint8Array> {
    const defect = findTextDefect(bytes)
    if (defect === undefined) {
      if (bytes.length > 0) yield bytes
      return
    }
    if (defect.index > 0) yield bytes.subarray(0, defect.index)
    throw new CsvError({
      source: this.#source,
      offset: this.#scanner.offset,
      line: this.#scanner.line,
      ...(defect.isNul
        ? { problem: 'A NUL byte, which no text has', advice: 'Export the file again, as text in UTF-8' }
        : { problem: 'A byte that is not UTF-8', advice: 'Export the file again, with encoding UTF-8' }),
    })
  }
}
