import { UserError } from '../../errors/errors.ts'
import type { Json, JsonObject } from '../../json/json-value.ts'
import { pathInside } from '../../paths/path-inside.ts'
import { isScalar } from '../values/php/php-values.ts'
import { type AssembledTable, assembleTables, writeAssembled } from './assemble-tables.ts'
import { FinalTables } from './final-tables.ts'
import { ItemLog, pageOfItems } from './item-log.ts'
import { LiveTables } from './live-tables.ts'
import type { AddOptions, WrittenTable } from './sink-types.ts'
import {
  loadStructure,
  restoreStructure,
  type Structure,
  type StructureState,
  saveStructure,
  storeStructure,
} from './structure.ts'
import { type Output, tableFile } from './table-file.ts'
import { TableNames } from './table-header.ts'
import type { TableSpoolState } from './table-spool.ts'

interface AutomaticTablesOptions {
  folder: string
  compat: boolean
  isTyped: boolean
  structure: unknown
  /** Of all jobs: a list inside of rows does not take the name of one. */
  dataTypes: readonly string[]
  warn(message: string): void
  state: AutomaticTablesState | undefined
}

export interface AutomaticTablesState {
  structure: StructureState
  isExact: boolean
  logBytes: number
  spools: TableSpoolState[]
  parents: [type: string, names: string[]][]
  /** Paths of lists in lists that were warned of: each is said once, in however many legs. */
  warned: string[]
}

/**
 * Data types without a mapping: tables and columns come from the JSON itself
 * (docs/reference/extractor-tables.md#structure).
 */
export class AutomaticTables {
  readonly #compat: boolean
  readonly #isTyped: boolean
  readonly #structure: Structure
  readonly #live: LiveTables
  readonly #log: ItemLog
  readonly #names: TableNames
  /** Columns from parents, by data type. */
  readonly #parents: Map<string, Set<string>>
  readonly #warned: Set<string>
  #learnt: unknown
  readonly #warn: (message: string) => void

  constructor(options: AutomaticTablesOptions) {
    const { folder, compat, state } = options
    this.#compat = compat
    this.#isTyped = options.isTyped
    this.#warn = options.warn
    this.#structure =
      state === undefined ? loadStructure(options.structure) : restoreStructure(state.structure)
    this.#structure.isCompat = compat
    this.#log = new ItemLog(pathInside(folder, 'items.log'), state?.logBytes)
    const nestedList = (path: string) => this.#warnNested(path)
    this.#names = new TableNames(
      compat ? [] : [...options.dataTypes, ...this.#structure.roots.keys()],
      options.warn,
    )
    this.#warned = new Set(state?.warned)
    this.#parents = new Map(state?.parents.map(([type, names]) => [type, new Set(names)]))
    const names = this.#names
    this.#live = new LiveTables({ structure: this.#structure, folder, compat, names, nestedList })
    // The kinds of values are noted where rows are written of items.
    this.#live.isExact = !options.isTyped && (state?.isExact ?? !hasParentColumns(this.#structure))
    if (state?.isExact === true) this.#live.restore(state.spools)
  }

  add(type: string, items: readonly Json[], { source, parent: parents = {} }: AddOptions): void {
    if (isNothing(items, this.#compat)) return
    checkParents(parents)
    this.#noteParents(type, parents)
    this.#log.append(type, { ...parents } as JsonObject, source ?? pageOfItems(items)) // values are JSON
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
    this.#live.flush()
    return {
      structure: saveStructure(this.#structure),
      isExact: this.#live.isExact,
      logBytes: this.#log.bytes,
      spools: this.#live.save(),
      parents: [...this.#parents].map(([type, names]) => [type, [...names]]),
      warned: [...this.#warned],
    }
  }

  /**
   * The learnt structure, without the parent columns that finishing adds: they are no part of the state
   * (docs/reference/extractor.md#state).
   */
  stored(): unknown {
    return this.#learnt ?? storeStructure(this.#structure)
  }

  async finish(output: Output): Promise<WrittenTable[]> {
    this.#live.flush()
    this.#learnt = storeStructure(this.#structure)
    const before = saveStructure(this.#structure)
    const assembled = assembleTables(this.#live, this.#structure, this.#compat)
    return assembled === undefined
      ? this.#rebuild(restoreStructure(before), output)
      : writeAll(assembled, output)
  }

  /** All pages once more, now that the structure is known. */
  async #rebuild(structure: Structure, output: Output): Promise<WrittenTable[]> {
    const final = new FinalTables({
      structure,
      compat: this.#compat,
      isTyped: this.#isTyped,
      names: this.#names,
      output,
    })
    if (!this.#compat) for (const [type, names] of this.#parents) final.expectParents(type, [...names])
    for await (const page of this.#log.pages()) final.add(page.type, page.items, page.parent)
    return final.finish()
  }

  #warnNested(path: string): void {
    if (this.#warned.has(path)) return
    this.#warned.add(path)
    this.#warn(`Converting nested array '${path}' to JSON string.`)
  }
}

const writeAll = async (tables: readonly AssembledTable[], output: Output): Promise<WrittenTable[]> => {
  const written: WrittenTable[] = []
  for (const table of tables) {
    const { name, rows } = table.spool
    const file = tableFile(output, name)
    await writeAssembled(table, file)
    written.push({ name, file, columns: table.columns, primaryKey: [], types: [table.dataType], rows })
  }
  return written
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

const hasParentColumns = (structure: Structure): boolean => {
  if (structure.parentAliases.size > 0) return true
  const nodes = [...structure.roots.values()]
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (node.isParent) return true
    nodes.push(...node.children.values())
  }
  return false
}
