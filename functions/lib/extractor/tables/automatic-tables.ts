import { UserError } from '../../errors/errors.ts'
import type { Json } from '../../json/json-value.ts'
import { pathInside } from '../../paths/path-inside.ts'
import type { ExtraColumns } from '../values/php/php-serialize.ts'
import { isScalar } from '../values/php/php-values.ts'
import { FinalTables } from './final-tables.ts'
import { LiveTables } from './live-tables.ts'
import { loadStructure, type StoredStructure, type Structure, storeStructure } from './structure.ts'
import { TableNames } from './table-header.ts'
import { ItemLog, type PageSource, type TableSpoolState } from './table-spool.ts'
import type { FinishedTable } from './write-tables.ts'

interface AutomaticTablesOptions {
  folder: string
  compat: boolean
  isTyped: boolean
  structure: unknown
  /** Of all jobs: a list inside of rows does not take the name of one. */
  dataTypes: readonly string[]
  warn(message: string): void
}

export interface AutomaticTablesState {
  structure: StoredStructure
  isExact: boolean
  logBytes: number
  spools: TableSpoolState[]
  parents: [type: string, names: string[]][]
}

/**
 * Data types without a mapping: tables and columns come from the JSON itself
 * (docs/reference/extractor-tables.md#structure).
 */
export class AutomaticTables {
  readonly #options: AutomaticTablesOptions
  readonly #structure: Structure
  readonly #live: LiveTables
  readonly #log: ItemLog
  readonly #names: TableNames
  /** Columns from parents, by data type. */
  readonly #parents: Map<string, Set<string>>
  #learnt: unknown

  constructor(options: AutomaticTablesOptions, state: AutomaticTablesState | undefined) {
    const { folder, compat } = options
    this.#options = options
    this.#structure = state ? loadStructure(state.structure, true) : loadStructure(options.structure)
    this.#structure.isCompat = compat
    this.#log = new ItemLog(pathInside(folder, 'items.log'), state?.logBytes)
    const nestedList = (path: string) => options.warn(`Converting nested array '${path}' to JSON string.`)
    this.#names = new TableNames(
      compat ? [] : [...options.dataTypes, ...this.#structure.roots.keys()],
      options.warn,
    )
    this.#parents = new Map(state?.parents.map(([type, names]) => [type, new Set(names)]))
    const names = this.#names
    this.#live = new LiveTables({ structure: this.#structure, folder, compat, names, nestedList })
    // The kinds of values are noted where rows are written of items.
    this.#live.isExact = !options.isTyped && (state?.isExact ?? !this.#structure.hasParentColumns())
    if (state?.isExact === true) this.#live.restore(state.spools)
  }

  add(type: string, items: readonly Json[], parents: ExtraColumns, source?: PageSource): void {
    if (isNothing(items, this.#options.compat)) return
    checkParents(parents)
    this.#noteParents(type, parents)
    this.#log.append(type, parents, items, source)
    this.#live.add(type, items, parents)
  }

  #noteParents(type: string, parents: Readonly<Record<string, unknown>>): void {
    const known = this.#parents.get(type) ?? new Set()
    this.#parents.set(type, known)
    for (const name in parents) known.add(name)
  }

  /** Flushes and returns what another process needs as `options.state`. */
  checkpoint(): AutomaticTablesState {
    this.#log.flush()
    return {
      structure: storeStructure(this.#structure, true),
      isExact: this.#live.isExact,
      logBytes: this.#log.bytes,
      spools: this.#live.save(),
      parents: [...this.#parents].map(([type, names]) => [type, [...names]]),
    }
  }

  /**
   * The learnt structure, without the parent columns that finishing adds: they are no part of the state
   * (docs/reference/extractor.md#state).
   */
  stored(): unknown {
    return this.#learnt ?? storeStructure(this.#structure)
  }

  async finish(): Promise<FinishedTable[]> {
    this.#learnt = storeStructure(this.#structure)
    const before = storeStructure(this.#structure, true)
    return this.#live.finish() ?? this.#rebuild(loadStructure(before, true))
  }

  /** All pages once more, now that the structure is known. */
  #rebuild(structure: Structure): Promise<FinishedTable[]> {
    const { compat } = this.#options
    const final = new FinalTables({ ...this.#options, structure, names: this.#names })
    if (!compat) for (const [type, names] of this.#parents) final.expectParents(type, [...names])
    return final.write(this.#log)
  }
}

/**
 * A page without items, or with a single null, writes nothing. Generic Extractor takes 0, false and '' for null
 * there.
 */
const isNothing = (items: readonly Json[], compat: boolean): boolean => {
  const [only] = items
  if (items.length === 0 || only === undefined) return true
  if (items.length > 1) return false
  if (only === null) return true
  if (!compat) return false
  if (Array.isArray(only)) return only.length === 0
  return only === '' || (isScalar(only) && typeof only !== 'string' && Number(only) === 0)
}

const checkParents = (parents: Readonly<Record<string, Json>>): void => {
  for (const [name, value] of Object.entries(parents)) {
    if (value === null || isScalar(value)) continue
    throw new UserError(
      'extractor.tables.parentNotScalar',
      `Error assigning parentId to a CSV file! The value of '${name}' is not a single value.`,
      { params: { column: name } },
    )
  }
}
