import { phpSerialize } from '../values/php/php-serialize.ts'
import { cellText, type Scalar } from '../values/php/php-values.ts'
import { ITEMS, type NodeType, type StructureNode } from './structure-node.ts'

/** All that is needed to write the rows of a list without a look at what was learnt. */
export interface ItemsPlan {
  /** What the items are. Only null is no row of its own kind: it has cells without anything. */
  kind: 'scalar' | 'object' | 'null'
  object: ObjectPlan
  /** The cell of an item that is a single value. */
  dataCell: number
  /** Cells of a row, without those of parent columns that have no place of their own. */
  width: number
  /** Where parent columns have their cells, when it is not behind all others. */
  parentCells: ReadonlyMap<string, number>
  /** Names of the columns by cell, for types. */
  names?: readonly string[]
  /** Parent columns that have another name here. */
  aliases?: ReadonlyMap<string, string> | undefined
  table: TableRows
}

/** Rows of one table while they are written. */
export interface TableRows {
  /** Lines of CSV. */
  rows: ByteText
  count: number
  /** What the last list says that its items are: `null`, when there was null in its place. */
  itemsType: NodeType | undefined
  /** Absent: cells have no types. */
  kinds: ColumnKinds | undefined
}

export interface ObjectPlan {
  /** In the order of the table. */
  columns: ColumnPlan[]
  byKey: ReadonlyMap<string, ColumnPlan>
  /** Whether there may be lists in it, so that a link is made from it. */
  hasLists: boolean
  /** What a link begins with. */
  path: string
  /** Whether columns share a cell: the last of them counts, whatever order the keys have. */
  isShared: boolean
  /** Cells that are empty unless a column says something else. */
  blanks: readonly number[]
}

export interface ColumnPlan {
  key: string
  position: number
  /** The key as PHP serialises it. */
  serial: string
  role: 'scalar' | 'null' | 'object' | 'array'
  /** `-1` has none. */
  cell: number
  /** The name of the column for types and errors. */
  name: string
  object: ObjectPlan | undefined
  list: ListPlan | undefined
}

/** A list in a row. Its table is there when it has rows. */
export interface ListPlan {
  /** @param parents names of the columns that its rows have from above */
  open(parents: readonly string[]): ItemsPlan
  /** What is known of the items. */
  kind: ItemsPlan['kind']
  /** A list is null. */
  isNull(): void
}

export const objectPlan = (
  columns: readonly Omit<ColumnPlan, 'position' | 'serial'>[],
  given: Pick<ObjectPlan, 'path' | 'isShared' | 'blanks'>,
): ObjectPlan => {
  const placed = columns.map((column, position) => ({
    ...column,
    position,
    serial: phpSerialize(column.key),
  }))
  return {
    ...given,
    columns: placed,
    byKey: new Map(placed.map(column => [column.key, column])),
    hasLists: placed.some(({ role, object }) => role === 'array' || object?.hasLists === true),
  }
}

/** How the nodes of a structure become columns. */
interface Layout {
  columnsOf(node: StructureNode): readonly StructureNode[]
  cellOf(node: StructureNode): number
  listOf(items: StructureNode): ListPlan
  isShared: boolean
}

/** The plan of an object from what is known of it. */
export const planObject = (node: StructureNode, layout: Layout): ObjectPlan =>
  objectPlan(
    layout.columnsOf(node).map(child => {
      const { key, items, header = '' } = child
      const role = child.type ?? 'null'
      return {
        key,
        role,
        cell: role === 'object' ? -1 : layout.cellOf(child),
        name: header,
        object: role === 'object' ? planObject(child, layout) : undefined,
        list: role === 'array' && items !== undefined ? layout.listOf(items) : undefined,
      }
    }),
    { path: `${node.cleanPath}_`, isShared: layout.isShared, blanks: [] },
  )

/** Children that are data. */
export const dataColumns = ({ children }: StructureNode): StructureNode[] =>
  [...children.values()].filter(({ isParent, key }) => !isParent && key !== ITEMS)

/** What the items of a list are: null hides nothing of it. */
export const kindOf = (type: NodeType | undefined): ItemsPlan['kind'] =>
  type === 'scalar' || type === 'object' ? type : 'null'

/** Nodes of the columns of a list's rows, in order. */
export const columnNodes = (items: StructureNode): StructureNode[] => {
  const nodesOf = (object: StructureNode): StructureNode[] =>
    dataColumns(object).flatMap(child => (child.type === 'object' ? nodesOf(child) : [child]))
  const data = kindOf(items.solid ?? items.type) === 'scalar' ? [items] : []
  return [...data, ...nodesOf(items)]
}

type Kind = 'text' | 'number' | 'truth'

/** The columns of a table by what JSON calls their values; a null says nothing. */
export class ColumnKinds {
  readonly #kinds: Map<string, Set<Kind>>

  constructor(saved: readonly [column: string, kinds: Kind[]][] = []) {
    this.#kinds = new Map(saved.map(([column, kinds]) => [column, new Set(kinds)]))
  }

  /** The cell of a value, which is noted. Truth has its words: otherwise true would be a number among others, and false would be null. */
  cell(column: string, value: Scalar | null): string {
    if (value !== null) this.#note(column, cellKindOf(value))
    return typeof value === 'boolean' ? String(value) : cellText(value, false)
  }

  /** Notes what the rows of another file of the table hold. */
  add(other: ColumnKinds): void {
    for (const [column, kinds] of other.#kinds) for (const kind of kinds) this.#note(column, kind)
  }

  #note(column: string, kind: Kind): void {
    const known = this.#kinds.get(column)
    if (known === undefined) this.#kinds.set(column, new Set([kind]))
    else known.add(kind)
  }

  /** Whether a column has values of several kinds. */
  isMixed(column: string): boolean {
    return (this.#kinds.get(column)?.size ?? 0) > 1
  }

  /** Whether a column is text, whatever its texts look like. */
  isText(column: string): boolean {
    return this.isMixed(column) || this.#kinds.get(column)?.has('text') === true
  }

  save(): [column: string, kinds: Kind[]][] {
    return [...this.#kinds].map(([column, kinds]) => [column, [...kinds]])
  }
}

const cellKindOf = (value: Scalar): Kind =>
  typeof value === 'string' ? 'text' : typeof value === 'boolean' ? 'truth' : 'number'

/** Lines in UTF-8, put together outside of the heap: as strings those of a page would outlive what V8 collects cheaply. */
export class ByteText {
  bytes: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(1024)
  length = 0

  line(text: string): void {
    const needed = this.length + 3 * text.length // at most, for each unit of UTF-16
    if (needed > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2))
      larger.set(this.bytes.subarray(0, this.length))
      this.bytes = larger
    }
    this.length += this.bytes.write(text, this.length)
  }

  /** The lines so far; the next one takes their place. */
  take(): Uint8Array {
    const lines = this.bytes.subarray(0, this.length)
    this.length = 0
    return lines
  }
}
