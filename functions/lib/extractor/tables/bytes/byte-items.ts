import type { ColumnBytes, ItemsBytes, ObjectBytes } from './byte-plan.ts'
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  type JsonReader,
  misfit,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  SMALL_N,
} from './json-reader.ts'
import { FALSE, NULL, TRUE } from './serial-writer.ts'
import { WatchedValues } from './watched-values.ts'

/**
 * Passes the items of a page whose rows another thread writes, with the keys in the order of a plan, so that none comes twice. It finds all
 * that makes a document no JSON. Whatever does not fit the plan throws `misfit`.
 */
export class ByteItems {
  readonly #reader: JsonReader
  #watched: ColumnBytes | undefined
  readonly #values = new WatchedValues()

  constructor(reader: JsonReader) {
    this.#reader = reader
  }

  /**
   * The items of a page, a list that comes next.
   *
   * @param watched a key of them
   * @returns how many they are, and JSON of a list of them with that field alone
   */
  page(items: ItemsBytes, watched: string | undefined): { count: number; values: string } {
    this.#watched = items.object.columns.find(({ name }) => name === watched)
    this.#values.clear()
    const count = this.#list(items, false)
    return { count, values: this.#values.json() }
  }

  #list({ kind, object }: ItemsBytes, isInRow: boolean): number {
    const reader = this.#reader
    let count = 0
    if (!reader.opens(OPEN_LIST, CLOSE_LIST)) return count
    do {
      if (kind === 'object' && reader.next() === OPEN_OBJECT) this.#object(object)
      else if (kind === 'scalar' || (isInRow && reader.next() === SMALL_N)) this.#scalar()
      else throw misfit
      count++
    } while (reader.hasMore(CLOSE_LIST))
    return count
  }

  #object({ columns }: ObjectBytes): void {
    const reader = this.#reader
    if (!reader.opens(OPEN_OBJECT, CLOSE_OBJECT)) return
    let next = 0
    do {
      reader.next()
      let column = columns[next++]
      while (column !== undefined && !takesKey(reader, column)) column = columns[next++]
      if (column === undefined) throw misfit // not known, or not in this order
      const { at } = reader
      this.#value(column)
      if (column === this.#watched) this.#values.add(column, reader.body, at, reader.at)
    } while (reader.hasMore(CLOSE_OBJECT))
  }

  #value({ role, object, items }: ColumnBytes): void {
    const first = this.#reader.next()
    if (object !== undefined && first === OPEN_OBJECT) this.#object(object)
    else if (items !== undefined && first === OPEN_LIST) this.#list(items, true)
    else if (role === 'scalar' || items?.kind === 'scalar' || first === SMALL_N) this.#scalar()
    else throw misfit
  }

  #scalar(): void {
    const reader = this.#reader
    const first = reader.next()
    if (first === QUOTE) reader.text()
    else if (!reader.takes(NULL) && !reader.takes(TRUE) && !reader.takes(FALSE)) reader.number()
  }
}

/** Passes the key of a column and the colon after it, when they are next. */
export const takesKey = (reader: JsonReader, { key, keyAndColon }: ColumnBytes): boolean => {
  if (reader.takes(keyAndColon)) return true
  if (!reader.takes(key)) return false
  reader.expect(COLON)
  return true
}
