import { phpSerialize } from '../../values/php/php-serialize.ts'
import { ITEMS, type NodeType, type StructureNode } from '../structure-node.ts'
import type { TableNames } from '../table-names.ts'
import { ByteText } from './byte-text.ts'

/** All that is needed to write the rows of a data type without a look at the structure. */
export interface RowsPlan {
  items: ItemsBytes
  /** The table of the items, and those of the lists in them. */
  tables: TableBytes[]
}

/** Rows of one table, while those of a page are written. */
export interface TableBytes {
  name: string
  /** Of its items. */
  node: StructureNode
  /** The type of its items, when that is known. */
  solid: NodeType | undefined
  /** Whether it has rows of earlier pages. */
  isStarted: boolean
  /** The names of its parent columns, when the first of its rows is in this page. */
  begins: readonly string[] | undefined
  rows: ByteText
  count: number
  /** What the items of its list have become, as of `TableRows`. */
  itemsType: NodeType | undefined
}

export interface ItemsBytes {
  kind: 'scalar' | 'object' | 'null'
  object: ObjectBytes
  table: TableBytes
}

export interface ObjectBytes {
  columns: ColumnBytes[]
  byName: Map<string, ColumnBytes>
  /** Whether rows can hold lists, so that a link may be asked for. */
  hasLists: boolean
  /** Cells of an object without any value: `,"",""`, or `"",""` at the start of a row. */
  blank: Buffer
  /** What a link begins with, and the same inside a cell. */
  path: Buffer
  pathInCell: Buffer
  /** Set when an object had its keys in another order than the columns: from then on cells are sorted. */
  isDisordered: boolean
}

export interface ColumnBytes {
  name: string
  position: number
  /** `"id"`, as it mostly is in the document, and with the colon. */
  key: Buffer
  keyAndColon: Buffer
  /** `s:2:"id";` */
  serial: Buffer
  role: 'scalar' | 'null' | 'object' | 'array'
  /** What is written before a value: `,"`, or `"` in the first column of a row. */
  open: Buffer
  blank: Buffer
  /** Set when `role` is `object`. */
  object: ObjectBytes | undefined
  /** Set when `role` is `array`. */
  items: ItemsBytes | undefined
}

/** The plan of rows from what is known of their items. Types that null has hidden count as they were before. */
export const planRows = (node: StructureNode, names: TableNames): RowsPlan => {
  const tables: TableBytes[] = []

  const planItems = (items: StructureNode): ItemsBytes => {
    const kind = kindOf(items)
    const table: TableBytes = {
      name: names.of(items),
      node: items,
      solid: items.solid,
      isStarted: false,
      begins: undefined,
      rows: new ByteText(),
      count: 0,
      itemsType: undefined,
    }
    tables.push(table)
    return { kind, object: planObject(items, kind !== 'scalar'), table }
  }

  /** @param isFirst no column of the row comes before those of this object */
  const planObject = (object: StructureNode, isFirst: boolean): ObjectBytes => {
    const columns: ColumnBytes[] = []
    for (const child of columnsOf(object)) {
      const isFirstOfAll = isFirst && columns.every(({ blank }) => blank.length === 0)
      columns.push(planColumn(child, columns.length, isFirstOfAll))
    }
    return {
      columns,
      byName: new Map(columns.map(column => [column.name, column])),
      hasLists: columns.some(column => column.role === 'array' || column.object?.hasLists === true),
      blank: Buffer.concat(columns.map(({ blank }) => blank)),
      path: Buffer.from(`${object.cleanPath}_`),
      pathInCell: Buffer.from(`${object.cleanPath.replaceAll('"', '""')}_`),
      isDisordered: false,
    }
  }

  const planColumn = (column: StructureNode, position: number, isFirst: boolean): ColumnBytes => {
    const role = column.type ?? 'null'
    const object = role === 'object' ? planObject(column, isFirst) : undefined
    const open = isFirst ? '"' : ',"'
    const key = JSON.stringify(column.key)
    return {
      name: column.key,
      position,
      key: Buffer.from(key),
      keyAndColon: Buffer.from(`${key}:`),
      serial: Buffer.from(phpSerialize(column.key)),
      role,
      open: Buffer.from(open),
      blank: object?.blank ?? Buffer.from(`${open}"`),
      object,
      items: role === 'array' && column.items !== undefined ? planItems(column.items) : undefined,
    }
  }

  return { items: planItems(node), tables }
}

/** Nodes of the columns of a list's rows, in order, by id. */
export const columnIds = (items: StructureNode): number[] => {
  const idsOf = (object: StructureNode): number[] =>
    columnsOf(object).flatMap(child => (child.type === 'object' ? idsOf(child) : [child.id]))
  return kindOf(items) === 'scalar' ? [items.id, ...idsOf(items)] : idsOf(items) // the `data` column
}

const kindOf = ({ solid, type }: StructureNode): ItemsBytes['kind'] => {
  const known = solid ?? type
  return known === 'scalar' || known === 'object' ? known : 'null'
}

const columnsOf = ({ children }: StructureNode): StructureNode[] =>
  [...children.values()].filter(({ isParent, key }) => !isParent && key !== ITEMS)
