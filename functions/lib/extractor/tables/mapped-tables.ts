import { hash } from 'node:crypto'
import { basename } from 'node:path'
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
import { cellText, csvLine, isEmpty, isScalar } from '../values/php/php-values.ts'
import { type MappingEntry, mappedValue, readMapping, type TableEntry, tablesOfMapping } from './mapping.ts'
import { ColumnKinds } from './row-plan.ts'
import { AppendFile } from './table-spool.ts'
import type { FinishedTable } from './write-tables.ts'

export interface MappedTablesState {
  files: number
  mappers: MapperState[]
}

/** Data types with a mapping (`config.mappings`). */
export class MappedTables {
  readonly #mappers = new Map<string, Mapper>()
  #files = 0

  constructor(
    folder: string,
    mappings: unknown,
    { compat, isTyped }: { compat: boolean; isTyped: boolean },
    state: MappedTablesState | undefined,
  ) {
    const context = { compat, isTyped, folder, nextFile: () => `mapped-${this.#files++}.csv` }
    for (const [type, mapping] of Object.entries(isObject(mappings) ? mappings : {}))
      this.#mappers.set(type, new Mapper(type, readMapping(type, mapping, compat), { ...context, type }))
    if (state === undefined) return
    this.#files = state.files
    for (const saved of state.mappers) this.#mappers.get(saved.name)?.restore(saved)
  }

  has(type: string): boolean {
    return this.#mappers.has(type)
  }

  add(type: string, items: readonly Json[], userData: ExtraColumns): void {
    this.#mappers.get(type)?.add(items, userData)
  }

  checkpoint(): MappedTablesState {
    return { files: this.#files, mappers: [...this.#mappers.values()].map(mapper => mapper.save()) }
  }

  /** All tables in the order of the mappings; those that got no rows have their header alone. */
  finish(): FinishedTable[] {
    const tables = [...this.#mappers.values()].flatMap(root => {
      root.open()
      return [...root.all()].map(mapper => mapper.finish())
    })
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
  isTyped: boolean
  folder: string
  nextFile(): string
}

/** What is known of a table, beside its rows. */
interface MappedTable {
  rows: number
  columns: string[]
  primaryKey: string[]
  /** The column that links rows to those of the table around theirs. */
  parent?: ParentColumn | undefined
}

interface MapperState extends MappedTable {
  name: string
  /** By name only: a resumed run may have another folder. */
  file: string | null
  bytes: number
  kinds?: ReturnType<ColumnKinds['save']> | undefined
  children: MapperState[]
}

interface ParentColumn {
  column: string
  isPrimaryKey: boolean
}

/** Rows of one mapped table, and the mappers of the tables in it (docs/reference/extractor-tables.md#mappings). */
class Mapper {
  readonly entries: readonly MappingEntry[]
  readonly #name: string
  readonly #context: MapperContext
  readonly #children = new Map<string, Mapper>()
  #out: AppendFile | undefined
  #table: MappedTable = { rows: 0, columns: [], primaryKey: [] }
  /** Absent: cells have no types. */
  #kinds: ColumnKinds | undefined

  constructor(name: string, entries: readonly MappingEntry[], context: MapperContext) {
    this.#name = name
    this.entries = entries
    this.#context = context
    if (context.isTyped) this.#kinds = new ColumnKinds()
  }

  /** @param link to the row around them */
  add(rows: readonly Json[], userData: ExtraColumns, link = ''): void {
    const out = this.open()
    for (const row of rows) {
      out.write(csvLine(this.#cellsOf(row, userData, link)))
      this.#table.rows++
    }
  }

  /** The file, made with the first rows or when the run ends without any. */
  open(): AppendFile {
    if (this.#out === undefined) {
      this.#out = new AppendFile(pathInside(this.#context.folder, this.#context.nextFile()))
      this.#table.columns = this.#header()
      this.#table.primaryKey = [...this.#keyColumns().values()]
      this.#out.write(csvLine(this.#table.columns))
    }
    return this.#out
  }

  /** This table, then those in it, in order of their first rows. */
  *all(): Generator<Mapper> {
    yield this
    for (const child of this.#children.values()) yield* child.all()
  }

  finish(): FinishedTable {
    const pieces = [this.open().finish(csvLine(this.#table.columns))]
    const { rows, columns, primaryKey } = this.#table
    return {
      name: this.#name,
      columns,
      primaryKey,
      rows,
      types: [this.#context.type],
      kinds: this.#kinds,
      pieces,
    }
  }

  #cellsOf(row: Json, userData: ExtraColumns, link: string): string[] {
    const cells = new Map<string, Json>()
    for (const entry of this.entries) this.#mapEntry(entry, { row, userData, link }, cells)
    if (this.#table.parent !== undefined && !cells.has(this.#table.parent.column))
      cells.set(this.#table.parent.column, link)
    return [...cells].map(([column, value]) => {
      if (value !== null && !isScalar(value)) throw notSingle(this.#context.type, cells, value)
      return this.#kinds ? this.#kinds.cell(column, value) : cellText(value, this.#context.compat)
    })
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
    const hasKey = this.#keyColumns().size > 0
    const { isDisabled, destination, isPrimaryKey } = entry.parentKey
    if (!hasKey && isEmpty(value)) {
      if (!isDisabled) cells.set(entry.destination, null)
      return
    }
    const link = this.#link(given)
    if (!isDisabled) {
      if (!hasKey) cells.set(entry.destination, link)
      child.#table.parent = { column: destination ?? `${this.#name}_pk`, isPrimaryKey }
    }
    child.add(Array.isArray(value) ? value : [value], given.userData, child === this ? given.link : link)
  }

  #child({ destination, parentKey, entries, path }: TableEntry): Mapper {
    if (destination === this.#name) {
      if (parentKey.isDisabled) return this
      throw badMapping("'parentKey.disable' must be true to parse child values into parent's table")
    }
    if (entries.length === 0) throw badMapping(`Key 'tableMapping' is not set for table '${path}'.`)
    const child = this.#children.get(destination) ?? new Mapper(destination, entries, this.#context)
    this.#children.set(destination, child)
    return child
  }

  /** The values of the primary key, or a hash of the row when the mapping names no key. */
  #link(given: GivenRow): string {
    const { row, userData } = given
    const key = this.#keyColumns()
    if (key.size === 0) {
      const user = Object.keys(userData).length === 0 ? '' : phpSerializeArray(userData)
      return hash('md5', phpSerialize(row) + user, 'hex')
    }
    const values = [...key].map(([path, column]) => this.#keyValue(path, column, given))
    const texts = values.map(value => {
      if (value === null || isScalar(value)) return cellText(value, this.#context.compat)
      throw badMapping(
        `Only scalar values are allowed in primary key. Primary key: ${phpJsonEncode(values, false)}`,
      )
    })
    return texts.join(',')
  }

  #keyValue(path: string, column: string, { row, userData, link }: GivenRow): Json {
    if (this.#table.parent?.column === column) return link
    const entry = this.entries.find(candidate => candidate.path === path)
    if (entry?.kind === 'user') return userData[path] ?? null
    return mappedValue(row, path, entry?.delimiter ?? '.')
  }

  /** Path to column of the primary key, the parent's column among them when it is one. */
  #keyColumns(): Map<string, string> {
    const key = new Map<string, string>()
    for (const entry of this.entries)
      if (entry.kind !== 'table' && entry.isPrimaryKey) key.set(entry.path, entry.destination)
    if (this.#table.parent?.isPrimaryKey) key.set(this.#table.parent.column, this.#table.parent.column)
    return key
  }

  #header(): string[] {
    const hasKey = this.#keyColumns().size > 0
    const columns = this.entries
      .filter(entry => (entry.kind === 'table' ? !hasKey && !entry.parentKey.isDisabled : entry.isInHeader))
      .map(({ destination }) => destination)
    return this.#table.parent === undefined ? columns : [...columns, this.#table.parent.column]
  }

  /** What `restore` needs; flushes. */
  save(): MapperState {
    this.#out?.flush()
    return {
      ...this.#table,
      name: this.#name,
      file: this.#out === undefined ? null : basename(this.#out.path),
      bytes: this.#out?.bytes ?? 0,
      kinds: this.#kinds?.save(),
      children: [...this.#children.values()].map(child => child.save()),
    }
  }

  restore({ name: _, file, bytes, kinds, children, ...table }: MapperState): void {
    this.#table = table
    if (kinds) this.#kinds = new ColumnKinds(kinds)
    if (file !== null) this.#out = new AppendFile(pathInside(this.#context.folder, file), bytes)
    for (const saved of children) {
      const entry = this.entries.find(e => e.kind === 'table' && e.destination === saved.name)
      if (entry?.kind === 'table') this.#child(entry).restore(saved)
    }
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
