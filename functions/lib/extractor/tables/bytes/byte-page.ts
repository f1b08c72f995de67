import { isUtf8 } from 'node:buffer'
import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import type { ExtraColumns } from '../../values/php/php-serialize.ts'
import type { RowsPlan } from './byte-plan.ts'
import { ByteRows, disorder, type PassedPage } from './byte-rows.ts'
import { CLOSE_OBJECT, COLON, JsonReader, misfit, OPEN_LIST, OPEN_OBJECT, QUOTE } from './json-reader.ts'
import { parentBytes } from './row-links.ts'

export interface ReadBytes {
  body: Uint8Array
  /** The keys that lead to the items; absent: they are the response or the only list in it. */
  path?: readonly string[] | undefined
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
  /** Whether an item is null or has no fields. */
  hasNothing: boolean
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
      const { count, values, begun, hasNothing } = this.#pass(given)
      const end = this.#reader.at
      const rest = restOf(body, start, end, found)
      if (count === 0 || (path === undefined && !isOnlyList(rest))) return undefined
      return { count, path: found, start, end, rest, values, begun, hasNothing }
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

/** Private use: stands for the list in what is left of a document. */
const MARK = '\ue002'

/**
 * Moves to a list of a document: the one that the keys of `path` lead to, or without them the document itself or the first list in it.
 * Returns the keys that lead there.
 */
const moveToList = (reader: JsonReader, path: readonly string[] | undefined): readonly string[] => {
  reader.at = 0
  if (path === undefined) {
    if (reader.next() === OPEN_LIST) return []
    return [moveToField(reader, undefined)]
  }
  for (const key of path) moveToField(reader, key)
  if (reader.next() !== OPEN_LIST) throw misfit
  return path
}

/** @param wanted the key; without one the first field with a list */
const moveToField = (reader: JsonReader, wanted: string | undefined): string => {
  reader.expect(OPEN_OBJECT)
  for (;;) {
    if (reader.next() !== QUOTE) throw misfit
    reader.text()
    const key = reader.lastText()
    reader.expect(COLON)
    const first = reader.next()
    if (wanted === undefined ? first === OPEN_LIST : key === wanted) return key
    reader.skip()
    if (!reader.hasMore(CLOSE_OBJECT)) throw misfit
  }
}

/** A document with an empty list in the place of the one from `start` to `end`, which has to be the one that the keys lead to. */
const restOf = (body: Uint8Array, start: number, end: number, path: readonly string[]): Json => {
  const rest = parseJson(
    Buffer.concat([body.subarray(0, start), Buffer.from(`["${MARK}"]`), body.subarray(end)]),
  )
  let found: Json | undefined = rest
  for (const key of path)
    found = typeof found === 'object' && found !== null ? (found as Record<string, Json>)[key] : undefined
  // A later field of the same name takes the place of one before
  if (!Array.isArray(found) || found.length !== 1 || found[0] !== MARK) throw misfit
  found.length = 0
  return rest
}
