import { hash } from 'node:crypto'
import { UserError } from '../../errors/errors.ts'
import type { Json } from '../../json/json-value.ts'
import {
  type ExtraColumns,
  phpJsonEncode,
  phpSerialize,
  phpSerializeArray,
  phpVarExport,
} from '../values/php/php-serialize.ts'
import { cellText, csvLine, isEmpty, isScalar } from '../values/php/php-values.ts'
import { valueAtKeys } from '../values/select/json-path.ts'
import { ColumnKinds } from './column-kinds.ts'
import type { MappingEntry, TableEntry } from './mapping.ts'
import { AppendFile } from './table-spool.ts'

/** What mappers of one sink share. */
interface MapperContext {
  compat: boolean
  isTyped: boolean
  nextFile(): string
}

export interface MapperState {
  name: string
  file: string | null
  bytes: number
  rows: number
  columns: string[]
  primaryKey: string[]
  parentPrimaryKey: string | null
  parentKeyColumn: string | null
  kinds?: ReturnType<ColumnKinds['save']> | undefined
  children: MapperState[]
}

/** Rows of one mapped table, and the mappers of the tables in it (docs/reference/extractor-tables.md#mappings). */
export class Mapper {
  readonly name: string
  columns: string[] = []
  primaryKey: string[] = []
  /** Absent: cells have no types. */
  kinds: ColumnKinds | undefined
  readonly children = new Map<string, Mapper>()
  readonly #entries: readonly MappingEntry[]
  readonly #context: MapperContext
  #out: AppendFile | undefined
  rows = 0
  #parentKey: { column: string; value: string } | undefined
  #parentPrimaryKey: string | undefined

  constructor(name: string, entries: readonly MappingEntry[], context: MapperContext) {
    this.name = name
    this.#entries = entries
    this.#context = context
    if (context.isTyped) this.kinds = new ColumnKinds()
  }

  add(rows: readonly Json[], userData: ExtraColumns): void {
    const out = this.open()
    for (const row of rows) {
      out.write(this.#line(row, userData))
      this.rows++
    }
  }

  /** The file, made with the first rows or when the run ends without any. */
  open(): AppendFile {
    if (this.#out === undefined) {
      this.#out = new AppendFile(this.#context.nextFile())
      this.columns = this.#header()
      this.primaryKey = [...this.#keyColumns().values()]
    }
    return this.#out
  }

  /** This table, then those in it, in order of their first rows. */
  *all(): Generator<Mapper> {
    yield this
    for (const child of this.children.values()) yield* child.all()
  }

  #line(row: Json, userData: ExtraColumns): string {
    const cells = new Map<string, Json>()
    for (const entry of this.#entries) this.#mapEntry(entry, row, userData, cells)
    const parentKey = this.#parentKey
    if (parentKey !== undefined && !cells.has(parentKey.column)) cells.set(parentKey.column, parentKey.value)
    return csvLine(this.#cellTexts(cells))
  }

  #mapEntry(entry: MappingEntry, row: Json, userData: ExtraColumns, cells: Map<string, Json>): void {
    if (entry.kind === 'user') {
      cells.set(entry.destination, mappedValue({ ...userData }, entry.path, '/'))
      return
    }
    // An empty path is the item itself, for lists of single values.
    const isPlain = row === null || isScalar(row)
    const value = isPlain ? row : mappedValue(row, entry.path, entry.delimiter)
    if (entry.kind === 'table') this.#mapTable(entry, row, value, userData, cells)
    else {
      const isForced = entry.forceType && value !== null && !isScalar(value)
      cells.set(entry.destination, isForced ? phpJsonEncode(value, !this.#context.compat) : value)
    }
  }

  #mapTable(
    entry: TableEntry,
    row: Json,
    value: Json,
    userData: ExtraColumns,
    cells: Map<string, Json>,
  ): void {
    const child = this.#child(entry)
    const hasKey = this.#keyColumns().size > 0
    const { isDisabled, destination, isPrimaryKey } = entry.parentKey
    if (!hasKey && isEmpty(value)) {
      if (!isDisabled) cells.set(entry.destination, null)
      return
    }
    const link = this.#link(row, userData)
    if (!isDisabled) {
      if (!hasKey) cells.set(entry.destination, link)
      const column = destination ?? `${this.name}_pk`
      child.#parentKey = { column, value: link }
      if (isPrimaryKey) child.#parentPrimaryKey = column
    }
    child.add(Array.isArray(value) ? value : [value], userData)
  }

  #child(entry: TableEntry): Mapper {
    if (entry.destination === this.name) {
      if (entry.parentKey.isDisabled) return this
      throw badMapping("'parentKey.disable' must be true to parse child values into parent's table")
    }
    if (entry.entries.length === 0)
      throw badMapping(`Key 'tableMapping' is not set for table '${entry.path}'.`)
    let child = this.children.get(entry.destination)
    if (child === undefined) {
      child = new Mapper(entry.destination, entry.entries, this.#context)
      this.children.set(entry.destination, child)
    }
    return child
  }

  /** The values of the primary key, or a hash of the row when the mapping names no key. */
  #link(row: Json, userData: ExtraColumns): string {
    const key = this.#keyColumns()
    if (key.size === 0) {
      const user = Object.keys(userData).length === 0 ? '' : phpSerializeArray(userData)
      return hash('md5', phpSerialize(row) + user, 'hex')
    }
    const values = [...key].map(([path, column]) => this.#keyValue(path, column, row, userData))
    if (values.some(value => value !== null && !isScalar(value))) {
      throw badMapping(
        `Only scalar values are allowed in primary key. Primary key: ${phpJsonEncode(values, false)}`,
      )
    }
    return values
      .map(value => (value === null || isScalar(value) ? cellText(value, this.#context.compat) : ''))
      .join(',')
  }

  #keyValue(path: string, column: string, row: Json, userData: ExtraColumns): Json {
    if (this.#parentKey?.column === column) return this.#parentKey.value
    const entry = this.#entries.find(candidate => candidate.path === path)
    if (entry?.kind === 'user') return userData[path] ?? null
    return mappedValue(row, path, entry?.delimiter ?? '.')
  }

  /** Path to column of the primary key, the parent's column among them when it is one. */
  #keyColumns(): Map<string, string> {
    const key = new Map<string, string>()
    for (const entry of this.#entries) {
      if (entry.kind !== 'table' && entry.isPrimaryKey) key.set(entry.path, entry.destination)
    }
    if (this.#parentPrimaryKey !== undefined) key.set(this.#parentPrimaryKey, this.#parentPrimaryKey)
    return key
  }

  #header(): string[] {
    const hasKey = this.#keyColumns().size > 0
    const columns: string[] = []
    for (const entry of this.#entries) {
      if (entry.kind !== 'table') {
        if (entry.isInHeader) columns.push(entry.destination)
      } else if (!hasKey && !entry.parentKey.isDisabled) columns.push(entry.destination)
    }
    if (this.#parentKey !== undefined) columns.push(this.#parentKey.column)
    return columns
  }

  #cellTexts(cells: ReadonlyMap<string, Json>): string[] {
    const texts: string[] = []
    for (const [column, value] of cells) {
      if (value !== null && !isScalar(value)) throw this.#notSingle(cells, value)
      texts.push(this.kinds ? this.kinds.cell(column, value) : cellText(value, this.#context.compat))
    }
    return texts
  }

  #notSingle(cells: ReadonlyMap<string, Json>, first: Json): UserError {
    const bad = [...cells].filter(([, value]) => value !== null && !isScalar(value)).map(([column]) => column)
    return new UserError(
      'extractor.tables.notSingleValue',
      `Error writing '${bad.join(',')}' column: Cannot write data into column: ${phpVarExport(first)}`,
      { params: { columns: bad } },
    )
  }

  /** What `restore` needs; flushes. */
  save(): MapperState {
    this.#out?.flush()
    return {
      name: this.name,
      file: this.#out?.path ?? null,
      bytes: this.#out?.bytes ?? 0,
      rows: this.rows,
      columns: this.columns,
      primaryKey: this.primaryKey,
      parentPrimaryKey: this.#parentPrimaryKey ?? null,
      parentKeyColumn: this.#parentKey?.column ?? null,
      kinds: this.kinds?.save(),
      children: [...this.children.values()].map(child => child.save()),
    }
  }

  restore(state: MapperState, fileIn: (name: string) => string): void {
    this.columns = state.columns
    this.primaryKey = state.primaryKey
    if (state.kinds) this.kinds = new ColumnKinds(state.kinds)
    this.#parentPrimaryKey = state.parentPrimaryKey ?? undefined
    if (state.parentKeyColumn !== null) this.#parentKey = { column: state.parentKeyColumn, value: '' }
    this.rows = state.rows
    if (state.file !== null) this.#out = new AppendFile(fileIn(state.file), state.bytes)
    for (const childState of state.children) {
      const entry = this.#entries.find(e => e.kind === 'table' && e.destination === childState.name)
      if (entry?.kind === 'table') this.#child(entry).restore(childState, fileIn)
    }
  }
}

/** The value at a mapped path; an empty path, `'0'` and the delimiter alone are the row itself. Missing is null. */
const mappedValue = (row: Json, path: string, delimiter: string): Json => {
  const isRow = path === '' || path === '0' || path === delimiter
  // Other paths are taken as written: a delimiter at an end adds a key named ""
  return valueAtKeys(isRow ? [] : path.split(delimiter), row) ?? null
}

const badMapping = (message: string): UserError => {
  return new UserError('extractor.tables.badMapping', `Bad Json to CSV Mapping configuration: ${message}`)
}
