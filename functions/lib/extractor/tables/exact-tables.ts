import { hash } from 'node:crypto'
import { UserError } from '../../errors/errors.ts'
import type { Json, JsonObject } from '../../json/json-value.ts'
import { cellText, csvLine, isScalar, type Scalar } from '../values/php/cell.ts'
import { phpJsonEncode } from '../values/php/php-json-encode.ts'
import { type ExtraColumns, phpSerializeRow } from '../values/php/php-serialize.ts'
import { ColumnKinds } from './column-kinds.ts'
import type { Structure } from './structure.ts'
import { ITEMS, type NodeType, type StructureNode } from './structure-node.ts'
import { addParentColumns, columnNames, typeOf } from './table-header.ts'
import type { TableNames } from './table-names.ts'

interface ExactTablesOptions {
  structure: Structure
  compat: boolean
  isTyped: boolean
  names: TableNames
  /** Gives the function that takes a table's lines. */
  openTable(name: string, columns: readonly string[], insteadOf?: string): (line: string) => void
}

/**
 * Tables from items once the whole structure is known: Generic Extractor's second pass, rule by rule, oddities
 * included.
 *
 * `LiveTables` does the same faster while pages arrive, as long as nothing unusual happens (a value that becomes a list,
 * two paths with one table name, parent columns that clash); this is what counts when it does.
 */
export class ExactTables {
  readonly #structure: Structure
  readonly #compat: boolean
  readonly #isTyped: boolean
  readonly #openTable: ExactTablesOptions['openTable']
  readonly #names: TableNames
  readonly #tables = new Map<string, TableWriter>()
  readonly #writers = new Map<StructureNode, TableWriter>()
  readonly #types = new Map<string, Set<string>>()
  readonly #layouts = new Map<StructureNode, Layout>()

  constructor(options: ExactTablesOptions) {
    this.#structure = options.structure
    this.#compat = options.compat
    this.#isTyped = options.isTyped
    this.#names = options.names
    this.#openTable = options.openTable
  }

  add(type: string, items: readonly Json[], parents: ExtraColumns): void {
    this.#writeList(this.#structure.root(type).child(ITEMS), items, parents)
  }

  /** Data types that a table's rows came from: two paths may have one table name. */
  typesOf(name: string): string[] {
    return [...(this.#types.get(name) ?? [])]
  }

  kindsOf(name: string): ColumnKinds | undefined {
    return this.#tables.get(name)?.kinds
  }

  #writeList(node: StructureNode, items: readonly Json[], parentValues: ExtraColumns): void {
    const parents = new Map<string, Json>()
    for (const key in parentValues) {
      // Where the column has its own name it keeps it, whatever other tables need: the rows there would be wider than their header
      const isKept = !this.#compat && node.children.get(key)?.isParent === true
      const name = isKept ? key : (this.#structure.parentAliases.get(key) ?? key)
      parents.set(name, parentValues[key] as Json) // own key
    }
    const table = this.#tableWriter(node, parents)
    for (const item of items) {
      const row: JsonObject = isRow(item)
        ? item
        : { data: Array.isArray(item) ? phpJsonEncode(item, !this.#compat) : item }
      table.write(csvLine(this.#rowCells(node, row, parents, table.kinds)))
    }
  }

  #tableWriter(node: StructureNode, parents: Map<string, Json>): TableWriter {
    let table = this.#writers.get(node)
    if (table === undefined) {
      this.#addParents(node, parents)
      table = this.#open(node, columnNames(node, this.#compat))
      this.#writers.set(node, table)
    }
    return table
  }

  /** Rows of two places share a table only when their columns are the same; with `compat` as in Generic Extractor, which is said. */
  #open(node: StructureNode, columns: readonly string[]): TableWriter {
    const asked = this.#names.of(node)
    const header = columns.length > 0 ? csvLine(columns) : ''
    const isOther = (name: string): boolean => (this.#tables.get(name)?.columns ?? header) !== header
    const name = !isOther(asked)
      ? asked
      : this.#compat
        ? this.#names.shared(node, asked)
        : this.#names.instead(node, asked, isOther)
    this.#types.set(name, (this.#types.get(name) ?? new Set<string>()).add(node.dataType))
    const known = this.#tables.get(name)
    if (known !== undefined) return known
    const write = this.#openTable(name, columns, name === asked ? undefined : asked)
    if (header !== '') write(header)
    const table = { columns: header, write, kinds: this.#isTyped ? new ColumnKinds() : undefined }
    this.#tables.set(name, table)
    return table
  }

  /** The columns that rows of a data type have from its parents, before any of its rows: they may come with later ones only. */
  expectParents(type: string, names: readonly string[]): void {
    this.#addParents(
      this.#structure.root(type).child(ITEMS),
      new Map(names.map(name => [this.#structure.parentAliases.get(name) ?? name, null])),
    )
  }

  #addParents(node: StructureNode, parents: Map<string, Json>): void {
    // New names move the columns of every table above and beside.
    if (addParentColumns(this.#structure, node, parents)) this.#layouts.clear()
  }

  #rowCells(
    node: StructureNode,
    row: JsonObject,
    parents: Map<string, Json>,
    kinds: ColumnKinds | undefined,
  ): string[] {
    const extra = Object.fromEntries(parents)
    const columns = new Map(parents)
    this.#addParents(node, columns)
    const layout = this.#layout(node)
    const cells = new Array<string>(layout.width).fill('')
    this.#fill(node, row, { extra, parents: columns, outerLink: '', kinds }, cells, layout)
    return cells
  }

  #fill(node: StructureNode, row: JsonObject, context: RowContext, cells: string[], layout: Layout): void {
    const { extra, parents, kinds } = context
    let link: string | undefined
    /** docs/reference/extractor-tables.md#links */
    const linkText = () => {
      link ??= `${node.cleanPath}_${hash('md5', phpSerializeRow(row, extra) + context.outerLink, 'hex')}`
      return link
    }
    for (const [key, type] of columnTypes(node, parents, this.#compat)) {
      const value = extra !== undefined && Object.hasOwn(extra, key) ? extra[key] : ownValue(row, key)
      const child = node.children.get(key)
      const set = (single: Scalar | null) => {
        const column = child?.header ?? node.header ?? ''
        const text = kinds ? kinds.cell(column, single) : cellText(single, this.#compat)
        const position = layout.positions.get(column)
        if (position === undefined)
          throw new UserError(
            'extractor.tables.unknownColumn',
            `Error assigning '${text}' to a non-existing column '${column}'!`,
          )
        cells[position] = text
      }
      if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) {
        if (type !== 'object') set(null)
      } else if (type === 'array' && child?.items !== undefined) {
        set(linkText())
        this.#writeList(child.items, Array.isArray(value) ? value : [value], { JSON_parentId: linkText() })
      } else if (type === 'object' && child !== undefined && isRow(value)) {
        this.#fill(
          child,
          value,
          { extra: undefined, parents: noParents, outerLink: linkText(), kinds },
          cells,
          layout,
        )
      } else set(isScalar(value) ? value : phpJsonEncode(value, !this.#compat))
    }
  }

  #layout(node: StructureNode): Layout {
    let layout = this.#layouts.get(node)
    if (layout === undefined) {
      // Columns of one name share a cell, as in Generic Extractor.
      const names = [...new Set(columnNames(node, this.#compat))]
      layout = { width: names.length, positions: new Map(names.map((name, position) => [name, position])) }
      this.#layouts.set(node, layout)
    }
    return layout
  }
}

interface TableWriter {
  columns: string
  write: (line: string) => void
  /** Absent: cells have no types. */
  kinds: ColumnKinds | undefined
}

interface Layout {
  width: number
  positions: Map<string, number>
}

interface RowContext {
  extra: ExtraColumns | undefined
  parents: ReadonlyMap<string, Json>
  outerLink: string
  kinds: ColumnKinds | undefined
}

const noParents: ReadonlyMap<string, Json> = new Map()

const columnTypes = (
  node: StructureNode,
  parents: ReadonlyMap<string, Json>,
  compat: boolean,
): Map<string, NodeType | 'parent' | undefined> => {
  const types = new Map<string, NodeType | 'parent' | undefined>()
  const type = typeOf(node, compat)
  if (type === 'scalar') types.set('data', 'scalar')
  if (type === 'object') for (const child of node.children.values()) types.set(child.key, child.type)
  for (const name of parents.keys()) types.set(name, 'parent')
  return types
}

const ownValue = (row: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(row, key) ? row[key] : undefined

const isRow = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isScalar(value)
