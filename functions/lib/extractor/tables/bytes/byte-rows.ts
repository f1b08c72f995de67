import { cellText } from '../cell.ts'
import type { ColumnBytes, ItemsBytes, ObjectBytes } from './byte-plan.ts'
import type { ByteText } from './byte-text.ts'
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
import { type Link, type ParentBytes, RowLinks } from './row-links.ts'
import { FALSE, NULL, numberOf, SerialWriter, TRUE } from './serial-writer.ts'
import { WatchedValues } from './watched-values.ts'

/** A list whose rows are written after the row that it is in: they need its link, which needs the whole row. */
interface WaitingList {
  items: ItemsBytes
  link: Link
  /** Where it is in the document. */
  at: number
  /** One value where others have a list. */
  isSingle: boolean
  row: ByteText
  /** Where the hash of the link goes. */
  hashAt: number
}

const EMPTY_CELL = Buffer.from('""')
const NEWLINE = 10
const ONE = 49
const noHash = Buffer.alloc(32)

/**
 * Rows of a page from its bytes to those of the tables, without a value in between: what `RowWriter` does, for all that fits a plan with the
 * keys in its order. Whatever else comes throws `misfit`; what is written by then has to be dropped.
 */
export class ByteRows {
  readonly #reader: JsonReader
  readonly #compat: boolean
  readonly #serial: SerialWriter
  readonly #links: RowLinks
  #watched: ColumnBytes | undefined
  readonly #values = new WatchedValues()
  #waiting: WaitingList[] = []

  constructor(reader: JsonReader, compat: boolean) {
    this.#reader = reader
    this.#compat = compat
    this.#serial = new SerialWriter(reader)
    this.#links = new RowLinks(this.#serial.out)
  }

  /**
   * The items of a page, a list that comes next.
   *
   * @param watched a key of them
   * @returns how many they are, and JSON of a list of them with that field alone
   */
  page(
    items: ItemsBytes,
    parents: ParentBytes | undefined,
    watched: string | undefined,
  ): { count: number; values: string } {
    this.#links.releaseAll()
    this.#watched = items.object.columns.find(({ name }) => name === watched)
    this.#values.clear()
    const count = this.#list(items, parents, false)
    return { count, values: this.#values.json() }
  }

  #list(items: ItemsBytes, parents: ParentBytes | undefined, isInRow: boolean): number {
    const reader = this.#reader
    let count = 0
    if (!reader.opens(OPEN_LIST, CLOSE_LIST)) return count
    do {
      this.#item(items, parents, isInRow)
      count++
    } while (reader.hasMore(CLOSE_LIST))
    return count
  }

  #item({ kind, object, table }: ItemsBytes, parents: ParentBytes | undefined, isInRow: boolean): void {
    if (!table.isStarted) throw misfit
    const { rows } = table
    const begin = rows.length
    const first = this.#reader.next()
    if (first === SMALL_N && isInRow) {
      if (!this.#reader.takes(NULL)) throw misfit
      if (kind === 'scalar') rows.append(EMPTY_CELL)
      rows.append(object.blank)
    } else {
      if (isInRow && table.solid !== undefined) table.itemsType = table.solid
      if (kind === 'object' && first === OPEN_OBJECT) this.#row(object, rows, parents)
      else if (kind === 'scalar') {
        rows.byte(QUOTE)
        this.#scalar(rows, false)
        rows.append(object.blank)
      } else throw misfit
    }
    if (parents !== undefined) {
      const isBare = rows.length === begin // no comma before the first cell
      rows.copy(parents.cells.bytes, parents.start + (isBare ? 1 : 0), parents.end)
    }
    rows.byte(NEWLINE)
    table.count++
  }

  /** The cells of an object, and the rows of the lists in it. */
  #row(object: ObjectBytes, rows: ByteText, parents: ParentBytes | undefined): void {
    if (!object.hasLists) {
      this.#object(object, rows, false)
      return
    }
    const { names = [] } = parents ?? {}
    if (names.some(name => object.columns.some(column => column.name === name))) throw misfit
    this.#links.clear()
    this.#waiting = []
    this.#serial.out.length = 0
    this.#object(object, rows, true, undefined, parents)
    const lists = this.#waiting
    // All of them before the rows of lists, which may have links too
    for (const { link, row, hashAt } of lists) writeHash(row, hashAt, this.#links.hashOf(link))
    for (const list of lists) this.#writeList(list)
  }

  #writeList({ items, link, at, isSingle }: WaitingList): void {
    const reader = this.#reader
    const after = reader.at
    const parents = this.#links.columns(link, items.object.hasLists)
    reader.at = at
    if (isSingle) this.#item(items, parents, true)
    else this.#list(items, parents, true)
    reader.at = after
    this.#links.release(parents)
  }

  /** @param isHashed whether it is serialised too, as part of a row that has lists */
  #object(
    object: ObjectBytes,
    rows: ByteText,
    isHashed: boolean,
    outer?: Link | undefined,
    parents?: ParentBytes | undefined,
  ): void {
    const reader = this.#reader
    const serial = this.#serial
    const { columns } = object
    const link = object.hasLists ? this.#links.open(object, outer) : undefined
    const countAt = isHashed ? serial.openObject() : 0
    let next = 0
    let count = 0
    if (reader.opens(OPEN_OBJECT, CLOSE_OBJECT))
      do {
        reader.next()
        let column = columns[next++]
        while (column !== undefined && !takesKey(reader, column)) {
          rows.append(column.blank)
          column = columns[next++]
        }
        if (column === undefined) throw misfit // not known, or not in this order
        if (isHashed) serial.out.append(column.serial)
        const { at } = reader
        this.#value(column, rows, isHashed, link)
        if (column === this.#watched) this.#values.add(column, reader.body, at, reader.at)
        count++
      } while (reader.hasMore(CLOSE_OBJECT))
    for (; next < columns.length; next++) rows.append((columns[next] as ColumnBytes).blank) // below the length
    if (!isHashed) return
    if (parents !== undefined) {
      serial.out.append(parents.serial)
      count += parents.names.length
    }
    const moved = serial.closeObject(countAt, count)
    if (moved !== 0) this.#links.move(countAt, moved)
    if (link !== undefined) link.end = serial.out.length
  }

  #value(column: ColumnBytes, rows: ByteText, isHashed: boolean, link: Link | undefined): void {
    const reader = this.#reader
    if (column.role === 'scalar') {
      rows.append(column.open)
      this.#scalar(rows, isHashed)
      return
    }
    const first = reader.next()
    if (first === SMALL_N) {
      this.#null(isHashed)
      rows.append(column.blank)
      if (column.items !== undefined) column.items.table.itemsType = 'null' // as Generic Extractor forgets what they are
    } else if (column.object !== undefined && first === OPEN_OBJECT)
      this.#object(column.object, rows, isHashed, link)
    else if (column.items !== undefined && link !== undefined)
      this.#listCell(column, column.items, rows, link)
    else throw misfit
  }

  #listCell({ open, blank }: ColumnBytes, items: ItemsBytes, rows: ByteText, link: Link): void {
    const { at } = this.#reader
    const isSingle = this.#reader.next() !== OPEN_LIST
    if (isSingle) {
      if (items.kind !== 'scalar') throw misfit
      this.#serial.value()
    } else if (this.#serial.list() === 0) {
      rows.append(blank)
      return
    }
    rows.append(open)
    rows.append(link.object.pathInCell)
    this.#waiting.push({ items, link, at, isSingle, row: rows, hashAt: rows.length })
    rows.append(noHash)
    rows.byte(QUOTE)
  }

  /** A scalar that comes next, and the quote after it. */
  #scalar(rows: ByteText, isHashed: boolean): void {
    const reader = this.#reader
    const serial = this.#serial
    const first = reader.next()
    if (first === QUOTE) {
      reader.text()
      if (reader.hasEscapes) rows.copyCell(reader.source, reader.start, reader.end)
      else rows.copy(reader.source, reader.start, reader.end)
      if (isHashed) serial.text()
    } else if (first === SMALL_N) this.#null(isHashed)
    else if (reader.takes(TRUE)) {
      rows.byte(ONE)
      if (isHashed) serial.bool(true)
    } else if (reader.takes(FALSE)) {
      if (isHashed) serial.bool(false)
    } else {
      reader.number()
      if (this.#compat && !reader.isShortInteger) rows.ascii(cellText(numberOf(reader.lastNumber()), true))
      else rows.copy(reader.source, reader.start, reader.end)
      if (isHashed) serial.number()
    }
    rows.byte(QUOTE)
  }

  #null(isHashed: boolean): void {
    if (!this.#reader.takes(NULL)) throw misfit
    if (isHashed) this.#serial.null()
  }
}

/** Passes the key of a column and the colon after it, when they are next. */
const takesKey = (reader: JsonReader, { key, keyAndColon }: ColumnBytes): boolean => {
  if (reader.takes(keyAndColon)) return true
  if (!reader.takes(key)) return false
  reader.expect(COLON)
  return true
}

const writeHash = ({ bytes }: ByteText, at: number, md5: string): void => {
  for (let i = 0; i < md5.length; i++) bytes[at + i] = md5.charCodeAt(i)
}
