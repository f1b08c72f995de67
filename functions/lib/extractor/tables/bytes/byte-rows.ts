import { LIST_ITEMS } from '../../config/answer-limits.ts'
import { ByteCells } from './byte-cells.ts'
import type { ColumnBytes, ItemsBytes, ObjectBytes, TableBytes } from './byte-plan.ts'
import type { ByteText } from './byte-text.ts'
import { CellOrder, type SortableCell, type WaitingList } from './cell-order.ts'
import {
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  isBlank,
  type JsonReader,
  misfit,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  SMALL_N,
} from './json-reader.ts'
import { type Link, type ParentBytes, RowLinks } from './row-links.ts'
import { NULL, SerialWriter } from './serial-writer.ts'
import { WatchedValues } from './watched-values.ts'

/** The plan has noted that keys come in another order: write the page again. Has no stack, because it may be thrown often. */
export const disorder: Error = Object.assign(new Error('the keys come in another order'), { stack: '' })

export interface PassedPage {
  /** Of items. */
  count: number
  /** JSON of a list of the items with the watched field alone. */
  values: string
  /** Tables whose first row it has, in the order of those rows. */
  begun: TableBytes[]
  /** Whether an item is null or has no fields. */
  hasNothing: boolean
}

interface PassOptions {
  parents: ParentBytes | undefined
  watched: string | undefined
  /** Whether the document was written here, so that no key comes twice in an object. */
  isOurs: boolean
}

const isEmptyObject = ({ body, at }: JsonReader): boolean => {
  if (body[at] !== OPEN_OBJECT) return false
  do at++
  while (isBlank(body[at]))
  return body[at] === CLOSE_OBJECT
}

const EMPTY_CELL = Buffer.from('""')
const NEWLINE = 10
const noHash = Buffer.alloc(32)

/**
 * The rows of a page, from its bytes to those of the tables, without a value in between: the one way in which rows are written while pages
 * arrive. What does not fit the plan throws `misfit`, and the first keys in another order `disorder`; what is written by then has to be dropped.
 */
export class ByteRows {
  readonly #reader: JsonReader
  readonly #serial: SerialWriter
  readonly #cells: ByteCells
  readonly #links: RowLinks
  #watched: ColumnBytes | undefined
  #isOurs = false
  #hasNothing = false
  readonly #values = new WatchedValues()
  readonly #cellOrder = new CellOrder()
  #begun: TableBytes[] = []
  #waiting: WaitingList[] = []

  /** @param nestedList gets the path of a list inside a list, which becomes JSON text */
  constructor(reader: JsonReader, compat: boolean, nestedList: (path: string) => void) {
    this.#reader = reader
    this.#serial = new SerialWriter(reader)
    this.#cells = new ByteCells(reader, this.#serial, compat, nestedList)
    this.#links = new RowLinks(this.#serial.out)
  }

  /** The items of a page, a list that comes next. */
  page(items: ItemsBytes, { parents, watched, isOurs }: PassOptions): PassedPage {
    this.#links.releaseAll()
    this.#watched = items.object.columns.find(({ name }) => name === watched)
    this.#isOurs = isOurs
    this.#values.clear()
    this.#begun = []
    this.#hasNothing = false
    const count = this.#list(items, parents, false)
    return { count, values: this.#values.json(), begun: this.#begun, hasNothing: this.#hasNothing }
  }

  #list(items: ItemsBytes, parents: ParentBytes | undefined, isInRow: boolean): number {
    const reader = this.#reader
    let count = 0
    if (!reader.opens(OPEN_LIST, CLOSE_LIST)) return count
    do {
      this.#item(items, parents, isInRow)
      // A longer page is read in parts, of its items
      if (++count > LIST_ITEMS && !isInRow) throw misfit
    } while (reader.hasMore(CLOSE_LIST))
    return count
  }

  #item({ kind, object, table }: ItemsBytes, parents: ParentBytes | undefined, isInRow: boolean): void {
    if (!table.isStarted && table.begins === undefined) {
      table.begins = parents?.names ?? []
      this.#begun.push(table)
    }
    const { rows } = table
    const begin = rows.length
    const first = this.#reader.next()
    if (!isInRow && (first === SMALL_N || isEmptyObject(this.#reader))) this.#hasNothing = true
    if (first === SMALL_N) {
      if (!this.#reader.takes(NULL)) throw misfit
      if (kind === 'scalar') rows.append(EMPTY_CELL)
      rows.append(object.blank)
    } else {
      if (isInRow && table.solid !== undefined) table.itemsType = table.solid
      if (kind === 'object' && first === OPEN_OBJECT) this.#row(object, rows, parents)
      else if (kind === 'scalar') {
        rows.byte(QUOTE)
        if (first !== OPEN_LIST) this.#cells.scalar(rows, false)
        else if (this.#isOurs) this.#cells.nestedList(table.node, rows)
        else throw misfit // an object in it may have a key twice
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
    const serial = this.#serial
    const link = object.hasLists ? this.#links.open(object, outer) : undefined
    const countAt = isHashed ? serial.openObject() : 0
    let count = object.isDisordered
      ? this.#sortedFields(object, rows, isHashed, link)
      : this.#fields(object, rows, isHashed, link)
    if (!isHashed) return
    if (parents !== undefined) {
      serial.out.append(parents.serial)
      count += parents.names.length
    }
    const moved = serial.closeObject(countAt, count)
    if (moved !== 0) this.#links.move(countAt, moved)
    if (link !== undefined) link.end = serial.out.length
  }

  /** The cells of an object with the keys in the order of the columns. Returns how many fields it has. */
  #fields(object: ObjectBytes, rows: ByteText, isHashed: boolean, link: Link | undefined): number {
    const reader = this.#reader
    const { columns } = object
    let next = 0
    let count = 0
    if (reader.opens(OPEN_OBJECT, CLOSE_OBJECT))
      do {
        const column = this.#column(object, next, columns.length)
        if (column.position < next) {
          object.isDisordered = true
          throw disorder
        }
        for (; next < column.position; next++) rows.append((columns[next] as ColumnBytes).blank) // below the length
        next++
        this.#field(column, rows, isHashed, link)
        count++
      } while (reader.hasMore(CLOSE_OBJECT))
    for (; next < columns.length; next++) rows.append((columns[next] as ColumnBytes).blank) // below the length
    return count
  }

  /** The same with the keys in any order: cells and lists are sorted after the last. */
  #sortedFields(object: ObjectBytes, rows: ByteText, isHashed: boolean, link: Link | undefined): number {
    const reader = this.#reader
    const begin = rows.length
    const lists = this.#waiting
    const cells: (SortableCell | undefined)[] = []
    let last = -1
    let count = 0
    if (reader.opens(OPEN_OBJECT, CLOSE_OBJECT))
      do {
        const { position } = this.#column(object, last + 1, last + 2)
        if (cells[position] !== undefined) throw misfit // a key twice
        const start = rows.length
        this.#waiting = []
        this.#field(object.columns[position] as ColumnBytes, rows, isHashed, link) // a column has its place
        cells[position] = { start, end: rows.length, lists: this.#waiting }
        last = position
        count++
      } while (reader.hasMore(CLOSE_OBJECT))
    for (const list of this.#cellOrder.sort(rows, begin, object.columns, cells)) lists.push(list)
    this.#waiting = lists
    return count
  }

  /** Passes a key and its colon. Those of the columns from `next` to before `end` are looked at first. */
  #column({ columns, byName }: ObjectBytes, next: number, end: number): ColumnBytes {
    const reader = this.#reader
    reader.next()
    for (let i = next; i < end; i++) {
      const column = columns[i]
      if (column !== undefined && takesKey(reader, column)) return column
    }
    if (reader.next() !== QUOTE) throw misfit
    reader.text()
    const column = byName.get(reader.lastText())
    if (column === undefined) throw misfit
    reader.expect(COLON)
    return column
  }

  #field(column: ColumnBytes, rows: ByteText, isHashed: boolean, link: Link | undefined): void {
    const reader = this.#reader
    if (isHashed) this.#serial.out.append(column.serial)
    const { at } = reader
    this.#value(column, rows, isHashed, link)
    if (column === this.#watched) this.#values.add(column, reader.body, at, reader.at)
  }

  #value(column: ColumnBytes, rows: ByteText, isHashed: boolean, link: Link | undefined): void {
    const reader = this.#reader
    if (column.role === 'scalar') {
      rows.append(column.open)
      this.#cells.scalar(rows, isHashed)
      return
    }
    const first = reader.next()
    if (first === SMALL_N) {
      this.#cells.null(isHashed)
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
