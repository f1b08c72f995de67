import { isUtf8 } from 'node:buffer'
import type { ExtraColumns } from '../../php/php-serialize.ts'
import type { Json, JsonObject } from '../json-value.ts'
import type { RowsPlan } from './byte-plan.ts'
import { ByteRows, disorder, type PassedPage } from './byte-rows.ts'
import { JsonReader, misfit } from './json-reader.ts'
import { moveToList, restOf } from './list-place.ts'
import { parentBytes } from './row-links.ts'

/** A page as it came. */
export interface ReadBytes {
  body: Uint8Array
  /** The keys that lead to the items; absent: they are the response or the only list in it. */
  path?: readonly string[] | undefined
  /** Parent columns. */
  parent?: ExtraColumns | undefined
  /** A key of the items whose values are wanted. */
  watched?: string | undefined
  /** Whether the body was written here, from values. */
  isOurs?: boolean
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

/** Writes the rows of pages to the tables of a plan. */
export class BytePages {
  readonly #compat: boolean
  readonly #reader = new JsonReader()
  readonly #rows: ByteRows
  readonly #plan: RowsPlan

  /** @param nestedList gets the path of a list inside a list */
  constructor(plan: RowsPlan, compat: boolean, nestedList: (path: string) => void) {
    this.#compat = compat
    this.#plan = plan
    this.#rows = new ByteRows(this.#reader, compat, nestedList)
  }

  /**
   * A page whose rows are in the tables of the plan until the next one is read. Nothing when they do not fit the plan, or something is wrong
   * with it.
   */
  read(given: ReadBytes): (BytePage & Pick<PassedPage, 'begun'>) | undefined {
    const { body, path } = given
    if (!isUtf8(body)) return undefined
    try {
      this.#reader.body = asBuffer(body)
      const found = moveToList(this.#reader, path)
      const start = this.#reader.at
      const { count, values, begun } = this.#pass(given)
      const end = this.#reader.at
      const rest = restOf(body, start, end, found)
      if (count === 0 || (path === undefined && !isOnlyList(rest))) return undefined
      return { count, path: found, start, end, rest, values, begun }
    } catch (error) {
      if (error === disorder) return this.read(given)
      if (error === misfit || error instanceof SyntaxError) return undefined
      throw error
    } finally {
      this.#reader.body = noBody
    }
  }

  #pass({ parent = {}, watched, isOurs = false }: ReadBytes): PassedPage {
    const { items, tables } = this.#plan
    for (const table of tables) {
      table.rows.length = 0
      table.count = 0
      table.itemsType = undefined
      table.begins = undefined
    }
    return this.#rows.page(items, { parents: parentBytes(parent, this.#compat), watched, isOurs })
  }
}

/** Other lists may be behind the first one. */
const isOnlyList = (response: Json): boolean =>
  Array.isArray(response) || Object.values(response as JsonObject).filter(Array.isArray).length === 1 // a list was in it

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

const noBody = Buffer.alloc(0)
