import { basename } from 'node:path'
import { UserError } from '../../errors/errors.ts'
import type { Json } from '../../json/json-value.ts'
import { isObject } from '../../json/json-value.ts'
import { pathInside } from '../../paths/path-inside.ts'
import type { ExtraColumns } from '../values/php/php-serialize.ts'
import type { ColumnKinds } from './column-kinds.ts'
import { Mapper, type MapperState } from './mapper.ts'
import { type MappingEntry, readMapping, tablesOfMapping } from './mapping.ts'
export interface MappedTablesState {
  files: number
  mappers: MapperState[]
}

/** A finished table whose rows are in `file`, without a header. */
export interface MappedTable {
  name: string
  columns: string[]
  primaryKey: string[]
  /** Data type whose mapping made it. */
  type: string
  /** Absent: a table without rows. */
  file: string | undefined
  rows: number
  kinds?: ColumnKinds | undefined
}

/** Data types with a mapping (`config.mappings`). */
export class MappedTables {
  readonly #mappings = new Map<string, MappingEntry[]>()
  readonly #mappers = new Map<string, Mapper>()
  #files = 0

  constructor(
    folder: string,
    mappings: unknown,
    { compat, isTyped }: { compat: boolean; isTyped: boolean },
    state: MappedTablesState | undefined,
  ) {
    const context = { compat, isTyped, nextFile: () => pathInside(folder, `mapped-${this.#files++}.csv`) }
    for (const [type, mapping] of Object.entries(isObject(mappings) ? mappings : {})) {
      const entries = readMapping(type, mapping, compat)
      this.#mappings.set(type, entries)
      this.#mappers.set(type, new Mapper(type, entries, context))
    }
    if (state === undefined) return
    this.#files = state.files
    for (const saved of state.mappers)
      this.#mappers.get(saved.name)?.restore(saved, file => pathInside(folder, file))
  }

  has(type: string): boolean {
    return this.#mappers.has(type)
  }

  add(type: string, items: readonly Json[], userData: ExtraColumns): void {
    try {
      this.#mappers.get(type)?.add(items, userData)
    } catch (error) {
      if (!(error instanceof UserError) || error.code !== 'extractor.tables.notSingleValue') throw error
      const message = `Error saving '${type}' data to CSV column: ${error.message}`
      throw new UserError(error.code, message, { params: error.params, cause: error })
    }
  }

  checkpoint(): MappedTablesState {
    const mappers = [...this.#mappers.values()].map(mapper => withBaseNames(mapper.save()))
    return { files: this.#files, mappers }
  }

  /** All tables in the order of the mappings; those that got no rows have their header alone. */
  finish(): MappedTable[] {
    const tables: MappedTable[] = []
    for (const [type, root] of this.#mappers) {
      root.open()
      for (const mapper of root.all()) {
        const out = mapper.open()
        out.finish()
        const { name, columns, primaryKey, rows, kinds } = mapper
        tables.push({ name, columns, primaryKey, type, file: out.path, rows, kinds })
      }
    }
    // Generic Extractor adds these in the end, so that what comes after finds them
    for (const [type, entries] of this.#mappings) {
      for (const table of tablesOfMapping(type, entries)) {
        if (!tables.some(({ name }) => name === table.name))
          tables.push({ ...table, type, file: undefined, rows: 0 })
      }
    }
    return tables
  }
}

/** Files by name only: a resumed run may have another folder. */
const withBaseNames = (state: MapperState): MapperState => {
  const file = state.file === null ? null : basename(state.file)
  return { ...state, file, children: state.children.map(withBaseNames) }
}
