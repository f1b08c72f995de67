import { basename } from 'node:path'
import { UserError } from '../../errors/errors.ts'
import { pathInside } from '../../paths/path-inside.ts'
import type { ExtraColumns } from '../php/php-serialize.ts'
import type { Json } from './json-value.ts'
import { Mapper, type MapperState } from './mapper.ts'
import { isRecord, type MappingEntry, readMapping } from './mapping.ts'

export interface MappedTablesState {
  files: number
  mappers: MapperState[]
}

/** A finished table whose rows are in `file`, without a header. */
export interface MappedTable {
  name: string
  columns: string[]
  primaryKey: string[]
  /** Absent: a table without rows. */
  file: string | undefined
  rows: number
}

/** Data types with a mapping (`config.mappings`). */
export class MappedTables {
  private readonly mappings = new Map<string, MappingEntry[]>()
  private readonly mappers = new Map<string, Mapper>()
  private files = 0

  constructor(folder: string, mappings: unknown, compat: boolean, state: MappedTablesState | undefined) {
    const context = { compat, nextFile: () => pathInside(folder, `mapped-${this.files++}.csv`) }
    for (const [type, mapping] of Object.entries(isRecord(mappings) ? mappings : {})) {
      const entries = readMapping(type, mapping)
      this.mappings.set(type, entries)
      this.mappers.set(type, new Mapper(type, entries, context))
    }
    if (state === undefined) return
    this.files = state.files
    for (const saved of state.mappers)
      this.mappers.get(saved.name)?.restore(saved, file => pathInside(folder, file))
  }

  has(type: string): boolean {
    return this.mappers.has(type)
  }

  add(type: string, items: readonly Json[], userData: ExtraColumns): void {
    try {
      this.mappers.get(type)?.add(items, userData)
    } catch (error) {
      if (!(error instanceof UserError) || error.code !== 'extractor.tables.notSingleValue') throw error
      const message = `Error saving '${type}' data to CSV column: ${error.message}`
      throw new UserError(error.code, message, { params: error.params, cause: error })
    }
  }

  checkpoint(): MappedTablesState {
    const mappers = [...this.mappers.values()].map(mapper => withBaseNames(mapper.save()))
    return { files: this.files, mappers }
  }

  /** All tables in the order of the mappings; those that got no rows have their header alone. */
  finish(): MappedTable[] {
    const tables: MappedTable[] = []
    for (const root of this.mappers.values()) {
      root.open()
      for (const mapper of root.all()) {
        const out = mapper.open()
        out.finish()
        const { name, columns, primaryKey, rows } = mapper
        tables.push({ name, columns, primaryKey, file: out.file, rows })
      }
    }
    for (const [type, entries] of this.mappings) addMissing(tables, type, entries, undefined)
    return tables
  }
}

/** Tables that the field adds in the end, so that what comes after finds them: columns first, the parent's key last. */
function addMissing(
  tables: MappedTable[],
  name: string,
  entries: readonly MappingEntry[],
  parentKey: { column: string; isPrimaryKey: boolean } | undefined,
): void {
  const columns: string[] = []
  const primaryKey: string[] = []
  for (const entry of entries) {
    if (entry.kind === 'table') {
      const { destination = `${name}_pk`, isPrimaryKey, isDisabled } = entry.parentKey
      const key = isDisabled ? undefined : { column: destination, isPrimaryKey }
      addMissing(tables, entry.destination, entry.entries, key)
    } else if (entry.isInHeader) {
      columns.push(entry.destination)
      if (entry.isPrimaryKey) primaryKey.push(entry.destination)
    }
  }
  if (parentKey !== undefined) {
    columns.push(parentKey.column)
    if (parentKey.isPrimaryKey) primaryKey.push(parentKey.column)
  }
  if (columns.length === 0 || tables.some(table => table.name === name)) return
  tables.push({ name, columns, primaryKey, file: undefined, rows: 0 })
}

/** Files by name only: the folder may be another one when the run goes on. */
function withBaseNames(state: MapperState): MapperState {
  const file = state.file === null ? null : basename(state.file)
  return { ...state, file, children: state.children.map(withBaseNames) }
}
