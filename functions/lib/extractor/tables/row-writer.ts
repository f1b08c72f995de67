import { hash } from 'node:crypto'
import { UserError } from '../../errors/errors.ts'
import { JsonNumber } from '../../json/json-number.ts'
import { isObject, type Json, type JsonObject } from '../../json/json-value.ts'
import { inOrder } from '../../json/key-order.ts'
import { type ExtraColumns, phpJsonEncode, phpObject, phpSerialize } from '../values/php/php-serialize.ts'
import { cellText, inQuotes, isScalar, type Scalar } from '../values/php/php-values.ts'
import type { ColumnPlan, ItemsPlan, ObjectPlan, TableRows } from './row-plan.ts'

/** A value that the plan does not have: more has to be learnt. Has no stack, because it may be thrown often. */
export const misfit: Error = Object.assign(new Error('the plan of the rows does not have it'), { stack: '' })

interface RowWriterOptions {
  compat: boolean
  /** Whether values that do not fit the plan throw `misfit`. Otherwise they become what they can in the cells that there are. */
  isStrict: boolean
  /** A table gets rows with these parent columns. */
  opened?: (table: TableRows, parents: ExtraColumns) => void
  /** An item of a list of the table is a list, and becomes JSON. */
  nestedList?: (table: TableRows) => void
}

/** What a link is made from: an object as PHP serialises it, and the link of the one around it. */
interface Link {
  path: string
  serial: string
  outer: Link | undefined
  text: string | undefined
}

/** A list whose rows come after the cells of the row that it is in: they need its link, which needs the whole row. */
interface WaitingList {
  column: ColumnPlan
  values: readonly Json[]
  link: Link
}

/** A row from which links are made. */
interface Hashing {
  link: Link
  lists: WaitingList[]
}

/**
 * Writes rows from values by a plan, in one pass: their cells, what links are made from, and then the rows of the lists in them.
 */
export class RowWriter {
  readonly #compat: boolean
  readonly #isStrict: boolean
  readonly #options: RowWriterOptions
  /** The table of the row under way. */
  #table: TableRows | undefined

  constructor(options: RowWriterOptions) {
    this.#compat = options.compat
    this.#isStrict = options.isStrict
    this.#options = options
  }

  /** @param given parent columns, added to each row: single values, which the caller has checked */
  write(plan: ItemsPlan, items: readonly Json[], given: ExtraColumns, isInRow = false): void {
    const { table, aliases, width, kind } = plan
    const extra = aliases === undefined ? given : renamed(given, aliases)
    this.#options.opened?.(table, extra)
    const placed: [cell: number, text: string][] = []
    let end = width === 0 ? '' : '"'
    for (const name in extra) {
      if (this.#isStrict && plan.object.byKey.has(name)) throw misfit
      const cell = plan.parentCells.get(name)
      const text = this.#text(plan.names?.[cell ?? 0] ?? name, extra[name] as Scalar | null, table)
      if (cell !== undefined) placed.push([cell, text])
      else end += `${end === '' ? '' : ','}"${text}"`
    }
    end += '\n'
    const cells = new Array<string>(width).fill('')
    for (const item of items) {
      if (isInRow && this.#isStrict && item !== null) table.itemsType = kind
      if (kind !== 'scalar' || item === null) cells.fill('')
      this.#row(plan, item, extra, cells)
      for (const [cell, text] of placed) cells[cell] = text
      let line = width === 0 ? '' : `"${cells[0]}`
      for (let i = 1; i < width; i++) line += `","${cells[i]}`
      table.rows.line(line + end)
      table.count++
    }
  }

  #row(plan: ItemsPlan, item: Json, extra: ExtraColumns, cells: string[]): void {
    const { kind, table } = plan
    if (item === null) return
    this.#table = table
    if (kind === 'scalar') {
      if (!isObject(item)) {
        if (Array.isArray(item)) this.#options.nestedList?.(table)
        cells[plan.dataCell] = this.#single('data', item)
      } else if (this.#isStrict) throw misfit
      else if (Object.hasOwn(item, 'data')) cells[plan.dataCell] = this.#single('data', item['data'] ?? null)
    } else if (kind === 'object' && isObject(item)) this.#rowObject(plan.object, item, extra, cells)
    else if (this.#isStrict) throw misfit
    else if (kind === 'object') {
      const data = Array.isArray(item) ? phpJsonEncode(item, !this.#compat) : item
      this.#rowObject(plan.object, { data }, extra, cells)
    }
  }

  /** The cells of a row, then the rows of the lists in it. */
  #rowObject(plan: ObjectPlan, given: JsonObject, extra: ExtraColumns, cells: string[]): void {
    const row = this.#isStrict ? given : overlaid(given, extra)
    if (!plan.hasLists) {
      this.#object(plan, row, cells, undefined)
      if (plan.isShared) this.#sharedCells(plan, row, cells, [])
      return
    }
    const hashing: Hashing = {
      link: { path: plan.path, serial: '', outer: undefined, text: undefined },
      lists: [],
    }
    this.#object(plan, row, cells, hashing, extra)
    let { lists } = hashing
    // All of them before the rows of lists, which have links too
    for (const { column, link } of lists)
      cells[column.cell] = this.#text(column.name, this.#linkText(link), this.#table)
    if (plan.isShared) lists = this.#sharedCells(plan, row, cells, lists)
    else if (
      lists.some(
        (list, index) => index > 0 && list.column.cell < (lists[index - 1] as WaitingList).column.cell,
      )
    )
      lists.sort((a, b) => a.column.cell - b.column.cell)
    for (const { column, values, link } of lists) {
      const items = column.list?.open(['JSON_parentId'])
      if (items !== undefined) this.write(items, values, { JSON_parentId: link.text ?? '' }, true)
    }
  }

  /** The cells of an object. Returns the object as PHP serialises it, when links are made from it. */
  #object(
    { columns, byKey }: ObjectPlan,
    value: JsonObject,
    cells: string[],
    hashing: Hashing | undefined,
    extra: ExtraColumns = {},
  ): string {
    let fields = ''
    let count = 0
    let next = 0
    for (const key in value) {
      const field = value[key] as Json // its own key
      count++
      let column = columns[next]
      if (column === undefined || column.key !== key) {
        column = byKey.get(key)
        if (column === undefined) {
          if (this.#isStrict) throw misfit
          fields += phpSerialize(key) + phpSerialize(field)
          continue
        }
      }
      next = column.position + 1
      if (hashing === undefined) this.#field(column, field, cells, hashing)
      else fields += column.serial + this.#field(column, field, cells, hashing)
    }
    if (hashing === undefined) return ''
    for (const name in extra) {
      if (Object.hasOwn(value, name)) continue
      count++
      fields += phpSerialize(name) + phpSerialize(extra[name] as Json) // its own key
    }
    hashing.link.serial = phpObject(count, fields)
    return hashing.link.serial
  }

  /** The cells of a value. Returns it as PHP serialises it, when links are made from it. */
  #field(column: ColumnPlan, field: Json, cells: string[], hashing: Hashing | undefined): string {
    const { role, cell, object, list } = column
    if (role === 'scalar' && (typeof field !== 'object' || field instanceof JsonNumber)) {
      cells[cell] = this.#text(column.name, field, this.#table)
    } else if (field === null) {
      list?.isNull()
    } else if (object !== undefined && isObject(field)) {
      if (hashing === undefined) return this.#object(object, field, cells, undefined)
      const link: Link = { path: object.path, serial: '', outer: hashing.link, text: undefined }
      return this.#object(object, field, cells, { link, lists: hashing.lists })
    } else {
      const isList = Array.isArray(field)
      if (list !== undefined && hashing !== undefined) {
        if (!isList && this.#isStrict && !(isScalar(field) && list.kind === 'scalar')) throw misfit
        if (!isList || field.length > 0)
          hashing.lists.push({ column, values: isList ? field : [field], link: hashing.link })
      } else if (this.#isStrict) throw misfit
      else if (!isList || field.length > 0) cells[cell] = this.#single(column.name, field)
    }
    return hashing === undefined ? '' : phpSerialize(field)
  }

  /** Where columns share a cell, the last one of the table that the row has says what is in it. Returns the lists in that order. */
  #sharedCells(
    plan: ObjectPlan,
    value: JsonObject,
    cells: string[],
    lists: readonly WaitingList[],
  ): WaitingList[] {
    const found: WaitingList[] = []
    for (const cell of plan.blanks) cells[cell] = ''
    for (const column of plan.columns) {
      const { key, cell, name, object } = column
      const field = Object.hasOwn(value, key) ? (value[key] ?? null) : null
      const list = lists.find(waiting => waiting.column === column)
      if (object !== undefined && isObject(field)) {
        found.push(...this.#sharedCells(object, field, cells, lists))
        continue
      }
      const isNothing = field === null || (Array.isArray(field) && field.length === 0)
      if (isNothing && object !== undefined) continue
      const text = isNothing ? '' : list === undefined ? this.#single(name, field) : this.#linkText(list.link)
      if (cell < 0) throw noColumn(text, name)
      cells[cell] = text
      if (list !== undefined) found.push(list)
    }
    return found
  }

  /** `<path>_<md5>` over the object and the link of the one around it (docs/reference/extractor-tables.md#links). */
  #linkText(link: Link): string {
    if (link.text !== undefined) return link.text
    const { path, serial, outer } = link
    link.text = path + hash('md5', outer === undefined ? serial : serial + this.#linkText(outer), 'hex')
    return link.text
  }

  /** The cell of a value that has one column, whatever it is. */
  #single(column: string, value: Json): string {
    const single = value === null || isScalar(value) ? value : phpJsonEncode(value, !this.#compat)
    return this.#text(column, single, this.#table)
  }

  #text(column: string, value: Scalar | null, table: TableRows | undefined): string {
    return cellIn(table, column, value, this.#compat)
  }
}

/** A cell as it stands between its quotes. */
export const cellIn = (
  table: TableRows | undefined,
  column: string,
  value: Scalar | null,
  compat: boolean,
): string => {
  if (table?.kinds !== undefined) return inQuotes(table.kinds.cell(column, value))
  if (typeof value === 'string') return inQuotes(value)
  return typeof value === 'number' && !compat ? `${value}` : cellText(value, compat)
}

/** The columns that a row has itself. */
const common = (extra: ExtraColumns, row: JsonObject): JsonObject => {
  const found: JsonObject = {}
  for (const name in extra) if (Object.hasOwn(row, name)) found[name] = extra[name] as Json // its own key
  return found
}

/** The row with the values of parent columns in place of its own of the same name. */
const overlaid = (row: JsonObject, extra: ExtraColumns): JsonObject => {
  const over = common(extra, row)
  return Object.keys(over).length === 0 ? row : inOrder({ ...row, ...over }, Object.keys(row))
}

const renamed = (extra: ExtraColumns, aliases: ReadonlyMap<string, string>): ExtraColumns =>
  Object.fromEntries(Object.entries(extra).map(([name, value]) => [aliases.get(name) ?? name, value]))

const noColumn = (text: string, column: string): UserError =>
  new UserError(
    'extractor.tables.unknownColumn',
    `Error assigning '${text}' to a non-existing column '${column}'!`,
  )
