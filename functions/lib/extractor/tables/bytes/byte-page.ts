import { isUtf8 } from 'node:buffer'
import { type ExtraColumns, phpSerialize } from '../../php/php-serialize.ts'
import type { Json, JsonObject } from '../json-value.ts'
import type { ItemsPlan } from '../row-plan.ts'
import { parentColumns } from '../row-writer.ts'
import type { PageRows, TableRows } from '../written-rows.ts'
import { bytePlan, type ItemsBytes, type TableBytes } from './byte-plan.ts'
import { ByteRows } from './byte-rows.ts'
import { ByteText } from './byte-text.ts'
import { JsonReader, misfit } from './json-reader.ts'
import { moveToList, restOf } from './list-place.ts'
import type { ParentBytes } from './row-links.ts'

/** A page as it came. */
export interface ReadBytes {
  body: Uint8Array
  /** The keys that lead to the items; absent: they are the response or the only list in it. */
  path?: readonly string[] | undefined
  /** Parent columns. */
  parent?: ExtraColumns | undefined
  /** A key of the items whose values are wanted. */
  watched?: string | undefined
}

/** A page of which only the bytes were read. */
export interface BytePage {
  /** Of items. */
  count: number
  /** The keys that lead to the items. */
  path: readonly string[]
  /** Where they are in the body, their brackets included. */
  start: number
  end: number
  /** The response with an empty list in the place of the items. */
  rest: Json
  /** JSON of the items with the field alone that was asked for, without those that lack it. */
  values: string
}

/** With its rows, whose bytes hold until the next page is read. */
interface WrittenPage extends BytePage {
  rows: PageRows
}

/** Pages after each other that other code had to read; from then on it reads all of them. */
const MOST_MISFITS = 16

interface TablesPlan {
  items: ItemsBytes
  tables: TableBytes[]
}

/** Reads pages from their bytes, with a plan that is known. */
export class BytePages {
  readonly #compat: boolean
  readonly #reader = new JsonReader()
  readonly #rows: ByteRows
  readonly #plan: TablesPlan | undefined
  #misfits = 0

  constructor(plan: ItemsPlan, compat: boolean) {
    this.#compat = compat
    this.#rows = new ByteRows(this.#reader, compat)
    this.#plan = plan.kind === 'object' ? bytePlan(plan) : undefined
  }

  /** A page with its rows; nothing when the values are needed for them, or something is wrong with it. */
  read(given: ReadBytes): WrittenPage | undefined {
    const { body, path, parent = {}, watched } = given
    const plan = this.#plan
    if (plan === undefined || this.#misfits >= MOST_MISFITS || !isUtf8(body)) return undefined
    this.#misfits++
    try {
      this.#reader.body = asBuffer(body)
      const found = moveToList(this.#reader, path)
      const start = this.#reader.at
      const { count, values } = this.#pass(plan, parent, watched)
      const end = this.#reader.at
      const rest = restOf(body, start, end, found)
      if (count === 0 || (path === undefined && !isOnlyList(rest))) return undefined
      this.#misfits = 0
      return { count, path: found, start, end, rest, values, rows: { tables: plan.tables.map(rowsOf) } }
    } catch (error) {
      // Of a value that is nested too deeply, or of JSON that is none
      if (error === misfit || error instanceof RangeError || error instanceof SyntaxError) return undefined
      throw error
    } finally {
      this.#reader.body = noBody
    }
  }

  #pass({ items, tables }: TablesPlan, parent: ExtraColumns, watched: string | undefined) {
    for (const table of tables) {
      table.rows.length = 0
      table.count = 0
      table.itemsType = undefined
    }
    return this.#rows.page(items, this.#parentBytes(parent), watched)
  }

  #parentBytes(parent: ExtraColumns): ParentBytes | undefined {
    const columns = parentColumns(parent, this.#compat)
    if (columns === undefined) return undefined
    const { names, values } = columns
    const cells = new ByteText()
    cells.append(Buffer.from(columns.cells))
    const serial = names.map(name => phpSerialize(name) + phpSerialize(values[name] as Json)).join('') // its own keys
    return { names, cells, start: 0, end: cells.length, serial: Buffer.from(serial) }
  }
}

/** Other lists may be behind the first one. */
const isOnlyList = (response: Json): boolean =>
  Array.isArray(response) || Object.values(response as JsonObject).filter(Array.isArray).length === 1 // a list was in it

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

const noBody = Buffer.alloc(0)

const rowsOf = ({ name, rows, count, itemsType }: TableBytes): TableRows => ({
  name,
  rows: count,
  bytes: rows.bytes.subarray(0, rows.length),
  ...(itemsType === undefined ? {} : { itemsType }),
})
