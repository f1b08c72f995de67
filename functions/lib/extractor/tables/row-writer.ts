import { phpJsonEncode } from '../php/php-json-encode.ts'
import { phpNumberCell } from '../php/php-number.ts'
import type { ExtraColumns } from '../php/php-serialize.ts'
import { cellText, isScalar, quoted, type Scalar } from './cell.ts'
import type { Json, JsonObject } from './json-value.ts'
import { RowLink } from './row-link.ts'
import type { ColumnPlan, ItemsPlan, ObjectPlan } from './row-plan.ts'
import type { NodeType, StructureNode } from './structure-node.ts'

/** The item does not fit the plan: learn from it, make a new plan, write it again. Has no stack, because it is thrown often. */
export const mismatch: Error = Object.assign(new Error('the item does not fit the known structure'), {
  stack: '',
})

/** The plan has noted that keys come in another order: take the item's rows back and write it again. */
export const disorder: Error = Object.assign(new Error('the keys come in another order'), { stack: '' })

interface RowWriterOptions {
  compat: boolean
  nestedList(path: string): void
  tableStarted(plan: ItemsPlan, parents: readonly string[]): void
}

/** Parent columns of the rows of one list: for the hash, and as text for the end of each row. */
export interface ParentColumns {
  values: ExtraColumns
  names: readonly string[]
  /** `,"5","x"` */
  cells: string
}

/**
 * Writes items as rows of their table and of the tables of their lists: the hot path.
 *
 * One loop over the keys of an object, in the expected order of the plan; text is appended, nothing is allocated per
 * cell. Whatever the plan does not foresee throws `mismatch`.
 */
export class RowWriter {
  /** Off while items are written that `learnItems` has seen: it follows what null hides, step by step. */
  tracksNulls = true
  readonly #compat: boolean
  readonly #options: RowWriterOptions
  #changes: { items: StructureNode; type: NodeType | undefined }[] = []

  constructor(options: RowWriterOptions) {
    this.#compat = options.compat
    this.#options = options
  }

  writeItem(plan: ItemsPlan, item: Json, parents: ParentColumns | undefined): void {
    const table = plan.table
    if (table.order < 0) this.#options.tableStarted(plan, parents?.names ?? [])
    const cells = this.#itemCells(plan, item, parents)
    // Only appended, never cut: the text is put together once, when it is written.
    if (parents === undefined) table.pending += `${cells}\n`
    else table.pending += `${cells}${cells === '' ? parents.cells.slice(1) : parents.cells}\n`
    table.rows++
  }

  #itemCells(plan: ItemsPlan, item: Json, parents: ParentColumns | undefined): string {
    const object = plan.object
    if (item === null) return plan.kind === 'scalar' ? `""${object.blank}` : object.blank
    if (plan.kind === 'object') {
      if (typeof item !== 'object' || Array.isArray(item) || isScalar(item)) throw mismatch
      const link = object.hasLists ? new RowLink(plan.path, item, parents?.values, undefined) : undefined
      return this.#objectCells(object, item, link)
    }
    if (plan.kind === 'null') throw mismatch
    if (isScalar(item)) return quoted(cellText(item, this.#compat)) + object.blank
    if (!Array.isArray(item)) throw mismatch
    this.#options.nestedList(plan.node.path.join('.'))
    return quoted(phpJsonEncode(item, !this.#compat)) + object.blank
  }

  #objectCells(plan: ObjectPlan, row: JsonObject, link: RowLink | undefined): string {
    if (plan.isDisordered) return this.#disorderedCells(plan, row, link)
    const columns = plan.columns
    let text = ''
    let next = 0
    for (const key in row) {
      let column = columns[next]
      if (column === undefined || column.key !== key) {
        column = plan.byKey.get(key)
        if (column === undefined) throw mismatch
        if (column.position < next) {
          // Lists of this object may be written already, so the whole item starts again.
          plan.isDisordered = true
          throw disorder
        }
        // `next` stops at a column that exists, so all before it do.
        for (; next < column.position; next++) text += (columns[next] as ColumnPlan).blank
      }
      next++
      const value = row[key] as Json // own key of parsed JSON
      if (column.role === 'scalar') text += this.#scalarCell(column.open, value)
      else text += this.#columnCells(column, value, link)
    }
    for (; next < columns.length; next++) text += (columns[next] as ColumnPlan).blank // within the length
    return text
  }

  /** Keys in another order than the columns. Lists are written in the order of the columns, as in Generic Extractor. */
  #disorderedCells(plan: ObjectPlan, row: JsonObject, link: RowLink | undefined): string {
    for (const key in row) if (!plan.byKey.has(key)) throw mismatch
    let text = ''
    for (const column of plan.columns) {
      const value = Object.hasOwn(row, column.key) ? row[column.key] : undefined
      text += value === undefined ? column.blank : this.#columnCells(column, value, link)
    }
    return text
  }

  #scalarCell(open: string, value: Json): string {
    switch (typeof value) {
      case 'string':
        return value.includes('"') ? `${open}${value.replaceAll('"', '""')}"` : `${open}${value}"`
      case 'number':
        return this.#compat ? `${open}${phpNumberCell(value)}"` : `${open}${value}"`
      case 'boolean':
        return value ? `${open}1"` : `${open}"`
      default:
        if (value === null) return `${open}"`
        if (!isScalar(value)) throw mismatch
        return `${open}${cellText(value, this.#compat)}"`
    }
  }

  #columnCells(column: ColumnPlan, value: Json, link: RowLink | undefined): string {
    switch (column.role) {
      case 'scalar':
        return this.#scalarCell(column.open, value)
      case 'null':
        if (value !== null) throw mismatch
        return column.blank
      case 'object':
        return this.#nestedCells(column, value, link)
      case 'array':
        return this.#listCell(column, value, link)
    }
  }

  #nestedCells(column: ColumnPlan, value: Json, link: RowLink | undefined): string {
    if (value === null) return column.blank
    if (typeof value !== 'object' || Array.isArray(value) || isScalar(value)) throw mismatch
    const plan = column.object as ObjectPlan // set with this role
    const inner = plan.hasLists ? new RowLink(plan.path, value, undefined, link) : undefined
    return this.#objectCells(plan, value, inner)
  }

  /** What `learnItems` would do to the type of a list's items. */
  #follow(items: StructureNode, type: NodeType): void {
    if (!this.tracksNulls || items.type === type) return
    this.#changes.push({ items, type: items.type })
    items.type = type
  }

  /** Call before each item. */
  mark(): void {
    if (this.#changes.length > 0) this.#changes = []
  }

  /** Takes back what the item since the mark has changed in the structure. */
  rollBack(): void {
    for (const { items, type } of this.#changes.reverse()) items.type = type
    this.#changes = []
  }

  #listCell(column: ColumnPlan, value: Json, link: RowLink | undefined): string {
    const plan = column.items
    if (plan === undefined || link === undefined) throw mismatch
    if (value === null) {
      this.#follow(plan.node, 'null') // Generic Extractor forgets what the items are; see `upgradeToList`
      return column.blank
    }
    if (Array.isArray(value)) {
      if (value.length === 0) return column.blank
      this.#writeList(plan, value, link.text)
    } else if (isScalar(value) && plan.kind === 'scalar') this.#writeList(plan, [value], link.text)
    else throw mismatch
    return `${column.open}${link.text.replaceAll('"', '""')}"`
  }

  #writeList(plan: ItemsPlan, items: readonly Json[], link: string): void {
    const parents = { values: { JSON_parentId: link }, names: linkNames, cells: `,${quoted(link)}` }
    for (const item of items) {
      if (item !== null && plan.node.solid !== undefined) this.#follow(plan.node, plan.node.solid)
      this.writeItem(plan, item, parents)
    }
  }
}

const linkNames = ['JSON_parentId']

/** Parent columns of a page, cells ready. Values are scalars or null. */
export const parentColumns = (values: ExtraColumns, compat: boolean): ParentColumns | undefined => {
  const names = Object.keys(values)
  if (names.length === 0) return undefined
  const cells = names.map(name => `,${quoted(cellText(values[name] as Scalar | null, compat))}`) // checked by the sink
  return { values, names, cells: cells.join('') }
}
