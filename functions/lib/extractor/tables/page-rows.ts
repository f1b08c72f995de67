import type { ExtraColumns } from '../php/php-serialize.ts'
import { safeName } from '../php/safe-name.ts'
import { BytePages } from './bytes/byte-page.ts'
import { itemsAt } from './item-log.ts'
import type { Json } from './json-value.ts'
import { parseJson } from './parse-json.ts'
import { RowBuffer } from './row-buffer.ts'
import { type ItemsPlan, planItems } from './row-plan.ts'
import { disorder, type ParentColumns, parentColumns, RowWriter } from './row-writer.ts'
import type { StructureNode } from './structure-node.ts'
import { restoreStructure, type StructureState } from './structure-state.ts'
import type { PageRows, TableRows } from './written-rows.ts'

/** All that is known of the rows of one data type: with it another thread writes rows of a page as `LiveTables` does. */
export interface RowsPlan {
  type: string
  compat: boolean
  /** Of this data type alone. */
  structure: StructureState
  /** Tables that have rows, with the names of their parent columns. */
  started: [name: string, parents: readonly string[]][]
}

/** The exact bytes of a response, and the keys that lead to the items in it. */
export interface PageSource {
  body: Uint8Array
  path: readonly string[]
}

/** Data of one type in one bucket, with what is known of it; `version` changes with `plan`. */
export interface Family {
  id: number
  version: number
  plan: () => RowsPlan
}

/**
 * Writes rows of pages with a plan made elsewhere. It learns nothing: a page that does not fit the plan, that begins a table or that is
 * wrong in any way throws, and has to be added where the structure is.
 */
class PageWriter {
  readonly #compat: boolean
  readonly #plan: ItemsPlan
  readonly #tables: { buffer: RowBuffer; node: StructureNode }[] = []
  readonly #writer: RowWriter
  readonly #bytes: BytePages
  #nested = new Set<string>()

  constructor({ type, compat, structure, started }: RowsPlan) {
    const items = restoreStructure(structure).root(type).items
    if (items === undefined) throw new Error(`Nothing is known of '${type}'`)
    const known = new Map(started)
    this.#compat = compat
    this.#plan = planItems(items, node => {
      const buffer = new RowBuffer(safeName(node.cleanPath))
      buffer.parents = known.get(buffer.name)
      buffer.order = buffer.parents === undefined ? -1 : 0
      this.#tables.push({ buffer, node })
      return buffer
    })
    this.#bytes = new BytePages(this.#plan, compat)
    this.#writer = new RowWriter({
      compat,
      nestedList: path => this.#nested.add(path),
      tableStarted: () => {
        throw new Error('A table begins')
      },
    })
  }

  /** Straight from the bytes, if that can be. */
  get bytes(): Pick<BytePages, 'read' | 'count'> {
    return this.#bytes
  }

  rows({ body, path }: PageSource, parent: ExtraColumns, items?: readonly Json[]): PageRows {
    const read = this.#bytes.read({ body, path, parent })
    return read?.rows ?? this.#rowsOf(items ?? itemsAt(parseJson(body), path), parent)
  }

  #rowsOf(items: readonly Json[], parent: ExtraColumns): PageRows {
    this.#nested = new Set()
    for (const { buffer, node } of this.#tables) {
      buffer.pending = ''
      buffer.rows = 0
      node.type = undefined // so that whatever it becomes is seen
    }
    const parents = parentColumns(parent, this.#compat)
    for (const item of items) this.#writeItem(item, parents)
    return { tables: this.#tables.map(rowsOf), nested: [...this.#nested] }
  }

  #writeItem(item: Json, parents: ParentColumns | undefined): void {
    this.#writer.mark()
    for (const { buffer } of this.#tables) buffer.mark()
    try {
      this.#writer.writeItem(this.#plan, item, parents)
    } catch (error) {
      if (error !== disorder) throw error
      this.#writer.rollBack()
      for (const { buffer } of this.#tables) buffer.rollBack(1) // none begins here
      this.#writeItem(item, parents)
    }
  }
}

const encoder = new TextEncoder()

const rowsOf = ({ buffer, node }: { buffer: RowBuffer; node: StructureNode }): TableRows => ({
  name: buffer.name,
  rows: buffer.rows,
  bytes: encoder.encode(buffer.pending),
  ...(node.type === undefined ? {} : { itemsType: node.type }),
})

/** The writers of one thread, one for each family. */
export class PageWriters {
  readonly #writers = new Map<number, { version: number; writer: PageWriter }>()

  /**
   * @param items those of the page, when they are known
   * @throws when the page has to be added where the structure is
   */
  rows(family: Family, source: PageSource, parent: ExtraColumns, items?: readonly Json[]): PageRows {
    return this.#of(family).rows(source, parent, items)
  }

  /** Pages straight from their bytes. */
  bytes(family: Family): Pick<BytePages, 'read' | 'count'> {
    return this.#of(family).bytes
  }

  #of({ id, version, plan }: Family): PageWriter {
    let known = this.#writers.get(id)
    if (known?.version !== version) {
      known = { version, writer: new PageWriter(plan()) }
      this.#writers.set(id, known)
    }
    return known.writer
  }
}
