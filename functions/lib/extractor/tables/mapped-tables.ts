import { hash } from 'node:crypto'
import { UserError } from '../../errors/errors.ts'
import { isObject, type Json } from '../../json/json-value.ts'
import { pathInside } from '../../paths/path-inside.ts'
import {
  type ExtraColumns,
  phpJsonEncode,
  phpSerialize,
  phpSerializeArray,
  phpVarExport,
} from '../values/php/php-serialize.ts'
import { cellText, isEmpty, isScalar } from '../values/php/php-values.ts'
import {
  type MappingEntry,
  mappedValue,
  type ParentKey,
  readMapping,
  type TableEntry,
  tablesOfMapping,
} from './mapping.ts'
import { ColumnKinds } from './row-plan.ts'
import { cellIn } from './row-writer.ts'
import { headerLine } from './table-header.ts'
import { TableSpool, type TableSpoolState } from './table-spool.ts'
import type { FinishedTable, TablesOptions } from './write-tables.ts'

export interface MappedTablesState {
  files: number
  mappers: MapperState[]
}

/** Data types with a mapping (`config.mappings`). */
export class MappedTables {
  readonly #mappers = new Map<string, Mapper>()
  #files = 0

  constructor(
    { folder, compat, isTyped }: TablesOptions,
    mappings: unknown,
    state: MappedTablesState | undefined,
  ) {
    const spoolOf = (name: string): TableSpool => {
      const file = pathInside(folder, `mapped-${this.#files++}.csv`)
      return new TableSpool(name, file, isTyped ? new ColumnKinds() : undefined)
    }
    for (const [type, mapping] of Object.entries(isObject(mappings) ? mappings : {})) {
      const table = { name: type, entries: readMapping(type, mapping, compat), parent: undefined }
      const saved = state?.mappers.find(({ spool }) => spool.name === type)
      this.#mappers.set(type, new Mapper(table, { type, compat, spoolOf }, saved))
    }
    this.#files = state?.files ?? this.#files
  }

  has(type: string): boolean {
    return this.#mappers.has(type)
  }

  add(type: string, items: readonly Json[], userData: ExtraColumns): void {
    const root = this.#mappers.get(type)
    root?.add(items, userData)
    for (const { spool } of root?.all() ?? []) spool.keep()
  }

  checkpoint(): MappedTablesState {
    return { files: this.#files, mappers: [...this.#mappers.values()].map(mapper => mapper.save()) }
  }

  /** All tables in the order of the mappings; those that got no rows have their header alone. */
  finish(): FinishedTable[] {
    const tables = [...this.#mappers.values()].flatMap(root => [...root.all()].map(mapper => mapper.finish()))
    // Generic Extractor adds these in the end, so that what comes after finds them
    for (const [type, { entries }] of this.#mappers) {
      for (const table of tablesOfMapping(type, entries)) {
        if (!tables.some(({ name }) => name === table.name))
          tables.push({ ...table, types: [type], rows: 0, pieces: [] })
      }
    }
    return tables
  }
}

interface MapperContext {
  /** Whose mapping it is. */
  type: string
  compat: boolean
  spoolOf(name: string): TableSpool
}

interface MapperState {
  spool: TableSpoolState
  children: MapperState[]
}

interface MappedTable {
  name: string
  entries: readonly MappingEntry[]
  /** The column that links rows to those of the table around theirs. */
  parent: ParentKey | undefined
}

/** Rows of one mapped table, and the mappers of the tables in it (docs/reference/extractor-tables.md#mappings). */
class Mapper {
  readonly entries: readonly MappingEntry[]
  readonly spool: TableSpool
  readonly #name: string
  readonly #parent: ParentKey | undefined
  /** Path to column of the primary key, the parent's column among them when it is one. */
  readonly #key: ReadonlyMap<string, string>
  readonly #columns: string[]
  readonly #context: MapperContext
  readonly #children = new Map<string, Mapper>()

  constructor({ name, entries, parent }: MappedTable, context: MapperContext, saved?: MapperState) {
    this.entries = entries
    this.#name = name
    this.#parent = parent
    this.#context = context
    const key = entries.flatMap(entry =>
      entry.kind !== 'table' && entry.isPrimaryKey ? [[entry.path, entry.destination] as const] : [],
    )
    this.#key = new Map([...key, ...(parent?.isPrimaryKey ? [[parent.column, parent.column] as const] : [])])
    const columns = entries.filter(entry =>
      entry.kind === 'table' ? this.#isLinked(entry) : entry.isInHeader,
    )
    this.#columns = [...columns.map(({ destination }) => destination), ...(parent ? [parent.column] : [])]
    this.spool = context.spoolOf(name)
    if (saved) this.spool.restore(saved.spool)
    else if (parent === undefined) this.spool.begin(headerLine(this.#columns))
    for (const child of saved?.children ?? []) {
      const entry = entries.find(
        ({ kind, destination }) => kind === 'table' && destination === child.spool.name,
      )
      if (entry?.kind === 'table') this.#child(entry, child)
    }
  }

  /** Whether rows have a column for a table in them: rows with a key are linked by that. */
  #isLinked({ parent }: TableEntry): boolean {
    return this.#key.size === 0 && parent !== undefined
  }

  /** @param link to the row around them */
  add(rows: readonly Json[], userData: ExtraColumns, link = ''): void {
    if (this.spool.header === '') this.spool.begin(headerLine(this.#columns))
    for (const row of rows) {
      const cells = new Map<string, Json>()
      for (const entry of this.entries) this.#mapEntry(entry, { row, userData, link }, cells)
      if (this.#parent !== undefined && !cells.has(this.#parent.column)) cells.set(this.#parent.column, link)
      this.#writeRow(cells)
    }
  }

  #writeRow(cells: ReadonlyMap<string, Json>): void {
    let line = ''
    for (const [column, value] of cells) {
      if (value !== null && !isScalar(value)) throw notSingle(this.#context.type, cells, value)
      line += `${line === '' ? '' : ','}"${cellIn(this.spool, column, value, this.#context.compat)}"`
    }
    this.spool.rows.line(`${line}\n`)
    this.spool.count++
  }

  /** This table, then those in it, in order of their first rows. */
  *all(): Generator<Mapper> {
    yield this
    for (const child of this.#children.values()) yield* child.all()
  }

  finish(): FinishedTable {
    // Generic Extractor links tables with their first rows
    if (this.#parent !== undefined && this.spool.header === '')
      return new Mapper(
        { name: this.#name, entries: this.entries, parent: undefined },
        this.#context,
      ).finish()
    const types = [this.#context.type]
    return this.spool.finish({ columns: this.#columns, primaryKey: [...this.#key.values()], types })
  }

  save(): MapperState {
    return { spool: this.spool.save(), children: [...this.#children.values()].map(child => child.save()) }
  }

  #mapEntry(entry: MappingEntry, given: GivenRow, cells: Map<string, Json>): void {
    const { row, userData } = given
    if (entry.kind === 'user') {
      cells.set(entry.destination, mappedValue({ ...userData }, entry.path, '/'))
      return
    }
    // An empty path is the item itself, for lists of single values.
    const isPlain = row === null || isScalar(row)
    const value = isPlain ? row : mappedValue(row, entry.path, entry.delimiter)
    if (entry.kind === 'table') this.#mapTable(entry, given, value, cells)
    else {
      const isForced = entry.forceType && value !== null && !isScalar(value)
      cells.set(entry.destination, isForced ? phpJsonEncode(value, !this.#context.compat) : value)
    }
  }

  #mapTable(entry: TableEntry, given: GivenRow, value: Json, cells: Map<string, Json>): void {
    const child = this.#child(entry)
    const isNothing = this.#key.size === 0 && isEmpty(value)
    const link = isNothing ? null : this.#link(given)
    if (this.#isLinked(entry)) cells.set(entry.destination, link)
    if (link !== null)
      child.add(Array.isArray(value) ? value : [value], given.userData, child === this ? given.link : link)
  }

  #child({ destination: name, parent, entries, path }: TableEntry, saved?: MapperState): Mapper {
    if (name === this.#name) {
      if (parent === undefined) return this
      throw badMapping("'parentKey.disable' must be true to parse child values into parent's table")
    }
    if (entries.length === 0) throw badMapping(`Key 'tableMapping' is not set for table '${path}'.`)
    let child = this.#children.get(name)
    if (child === undefined) {
      child = new Mapper({ name, entries, parent: this.#parentOf(name) }, this.#context, saved)
      this.#children.set(name, child)
    }
    return child
  }

  /** Several entries may send their rows to one table: those of all are linked when those of one are. */
  #parentOf(table: string): ParentKey | undefined {
    const tables = this.entries.filter(entry => entry.kind === 'table')
    return tables.find(({ destination, parent }) => destination === table && parent !== undefined)?.parent
  }

  /** The values of the primary key, or a hash of the row when the mapping names no key. */
  #link(given: GivenRow): string {
    const { row, userData } = given
    if (this.#key.size === 0) {
      const user = Object.keys(userData).length === 0 ? '' : phpSerializeArray(userData)
      return hash('md5', phpSerialize(row) + user, 'hex')
    }
    const values = [...this.#key].map(([path, column]) => this.#keyValue(path, column, given))
    const texts = values.map(value => {
      if (value === null || isScalar(value)) return cellText(value, this.#context.compat)
      throw badMapping(
        `Only scalar values are allowed in primary key. Primary key: ${phpJsonEncode(values, false)}`,
      )
    })
    return texts.join(',')
  }

  #keyValue(path: string, column: string, { row, userData, link }: GivenRow): Json {
    if (this.#parent?.column === column) return link
    const entry = this.entries.find(candidate => candidate.path === path)
    if (entry?.kind === 'user') return userData[path] ?? null
    return mappedValue(row, path, entry?.delimiter ?? '.')
  }
}
/** A row with what is added to it, and the link to the row around it. */
interface GivenRow {
  row: Json
  userData: ExtraColumns
  link: string
}

const badMapping = (message: string): UserError =>
  new UserError('extractor.tables.badMapping', `Bad Json to CSV Mapping configuration: ${message}`)

const notSingle = (type: string, cells: ReadonlyMap<string, Json>, first: Json): UserError => {
  const bad = [...cells].filter(([, value]) => value !== null && !isScalar(value)).map(([column]) => column)
  return new UserError(
    'extractor.tables.notSingleValue',
    `Error saving '${type}' data to CSV column: Error writing '${bad.join(',')}' column: Cannot write data into column: ${phpVarExport(first)}`,
    { params: { columns: bad } },
  )
}
