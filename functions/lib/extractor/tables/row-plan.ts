import type { RowBuffer } from './row-buffer.ts'
import { ITEMS, type StructureNode } from './structure-node.ts'

/** What `RowWriter` needs to know to write the rows of one list without looking at the structure. */
export interface ItemsPlan<Table extends RowBuffer = RowBuffer> {
  node: StructureNode
  kind: 'scalar' | 'object' | 'null'
  object: ObjectPlan<Table>
  /** Path in links: data type and keys, joined by dots. */
  path: string
  table: Table
}

export interface ObjectPlan<Table extends RowBuffer = RowBuffer> {
  columns: ColumnPlan<Table>[]
  byKey: Map<string, ColumnPlan<Table>>
  /** Whether rows can hold lists, so that a link may be asked for. */
  hasLists: boolean
  /** Text of the cells of an object without any value: `,"",""`, or `"",""` at the start of a row. */
  blank: string
  /** Column nodes in order, by id. */
  ids: number[]
  path: string
  /** Set when an object had its keys in another order: from then on columns are looked up one by one. */
  isDisordered: boolean
}

export interface ColumnPlan<Table extends RowBuffer = RowBuffer> {
  key: string
  position: number
  node: StructureNode
  role: 'scalar' | 'null' | 'object' | 'array'
  /** What is written before a value: `,"`, or `"` in the first column of a row. */
  open: string
  blank: string
  /** Set when `role` is `object`. */
  object: ObjectPlan<Table> | undefined
  /** Set when `role` is `array`. */
  items: ItemsPlan<Table> | undefined
}

type TableOf<Table extends RowBuffer> = (items: StructureNode) => Table

/** The plan of a list's rows from what is known of its items. Types that null has hidden count as they were before. */
export const planItems = <Table extends RowBuffer>(
  node: StructureNode,
  tableOf: TableOf<Table>,
): ItemsPlan<Table> => {
  const type = node.solid ?? node.type
  const kind = type === 'scalar' || type === 'object' ? type : 'null'
  const object = planObject(node, kind !== 'scalar', tableOf)
  if (kind === 'scalar') object.ids.unshift(node.id) // the `data` column
  return { node, kind, object, path: node.cleanPath, table: tableOf(node) }
}

/** `isFirst`: no column of the row comes before those of this object. */
const planObject = <Table extends RowBuffer>(
  node: StructureNode,
  isFirst: boolean,
  tableOf: TableOf<Table>,
): ObjectPlan<Table> => {
  const columns: ColumnPlan<Table>[] = []
  let blank = ''
  for (const child of node.children.values()) {
    if (child.isParent || child.key === ITEMS) continue
    const column = planColumn(child, columns.length, isFirst && blank === '', tableOf)
    columns.push(column)
    blank += column.blank
  }
  return {
    columns,
    byKey: new Map(columns.map(column => [column.key, column])),
    hasLists: columns.some(column => column.role === 'array' || column.object?.hasLists === true),
    blank,
    ids: columns.flatMap(column => column.object?.ids ?? [column.node.id]),
    path: node.cleanPath,
    isDisordered: false,
  }
}

const planColumn = <Table extends RowBuffer>(
  node: StructureNode,
  position: number,
  isFirst: boolean,
  tableOf: TableOf<Table>,
): ColumnPlan<Table> => {
  const role = node.type ?? 'null'
  const object = role === 'object' ? planObject(node, isFirst, tableOf) : undefined
  const items = role === 'array' && node.items !== undefined ? planItems(node.items, tableOf) : undefined
  const open = isFirst ? '"' : ',"'
  return { key: node.key, position, node, role, open, blank: object?.blank ?? `${open}"`, object, items }
}
