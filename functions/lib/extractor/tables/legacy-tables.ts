import { md5Digest } from '../../digests.ts'
import type { Json } from '../../json/json-value.ts'
import type { ExtraColumns } from '../values/php/php-serialize.ts'
import { shortName } from '../values/php/php-values.ts'
import { WholeTables } from './final-tables.ts'
import { isListType, LegacyStructure } from './legacy-structure.ts'
import {
  type ColumnPlan,
  type ItemsPlan,
  type ListPlan,
  type ObjectPlan,
  objectPlan,
  type TableRows,
} from './row-plan.ts'
import { ItemLog, type PageSource } from './table-spool.ts'
import type { FinishedTable, TablesOptions } from './write-tables.ts'

/** Gives the plan for the rows at a path of the old structure. */
type Open = (path: string, parents: readonly string[]) => ItemsPlan

export interface LegacyTablesState {
  structure: unknown
  logBytes: number
}

/**
 * Generic Extractor's old parser (compat level 1, or a state that holds its structure): columns of one clean name
 * share the first one's cells, and the second column has a hash for a name and stays empty.
 *
 * Rows are written in the end from the log of the pages: few configurations still need this.
 */
export class LegacyTables {
  readonly #folder: string
  readonly #structure: LegacyStructure
  readonly #log: ItemLog
  readonly #compat: boolean
  readonly #headers = new Map<string, string[]>()

  constructor(options: TablesOptions, state: LegacyTablesState | undefined) {
    const nestedList = (path: string): void =>
      options.warn(`Unsupported array nesting in '${path}'! Converting to JSON string.`)
    this.#folder = options.folder
    this.#compat = options.compat
    this.#structure = new LegacyStructure(state?.structure ?? options.structure, nestedList)
    this.#log = new ItemLog(options.folder, state?.logBytes)
  }

  add(type: string, items: readonly Json[], parents: ExtraColumns, source?: PageSource): void {
    const isNothing = items.length === 0 || (items.length === 1 && items[0] === null)
    if (isNothing && !this.#structure.knows(type)) return
    this.#structure.learn(type, items)
    this.#log.append(type, parents, items, source)
  }

  checkpoint(): LegacyTablesState {
    this.#log.flush()
    return { structure: this.#structure.store(), logBytes: this.#log.bytes }
  }

  stored(): unknown {
    return this.#structure.store()
  }

  finish(): Promise<FinishedTable[]> {
    const tables = new WholeTables(this.#folder)
    const plans = new Map<string, ItemsPlan>()
    return tables.write(this.#log, this.#compat, (type, ofPage) => {
      const open = (path: string, parents: readonly string[]): ItemsPlan => {
        const id = JSON.stringify([type, path, parents])
        const table = tables.open(legacyName(path), this.#header(path, parents), type)
        const plan = plans.get(id) ?? this.#plan(path, parents, table, open)
        plans.set(id, plan)
        return plan
      }
      return open(type, ofPage)
    })
  }

  #plan(path: string, parents: readonly string[], table: TableRows, open: Open): ItemsPlan {
    const columns = this.#header(path, parents)
    const cellOf = (name: string): number => columns.indexOf(name)
    return {
      kind: 'object',
      object: this.#object(path, cellOf, open, [], parents),
      dataCell: -1,
      width: columns.length,
      parentCells: new Map(parents.map(name => [name, cellOf(legacyName(name))])),
      table,
    }
  }

  /** @param parents names of columns that are laid over those of the data */
  #object(
    path: string,
    cellOf: (name: string) => number,
    open: Open,
    blanks: readonly number[],
    parents: readonly string[] = [],
  ): ObjectPlan {
    const columns = [...this.#structure.columns(path)].map(([key, known]) => {
      const type = parents.includes(key) ? 'scalar' : known
      const name = legacyName(key)
      const inner = `${path}.${key}`
      const list: ListPlan = { open: parents => open(inner, parents), kind: 'object', isNull: () => {} }
      return {
        key,
        role: roleOf(type),
        cell: cellOf(name),
        name,
        object: type === 'object' ? this.#inner(inner, name, cellOf, open) : undefined,
        list: isListType(type) ? list : undefined,
      }
    })
    return objectPlan(columns, { path: `${path}_`, isShared: true, blanks })
  }

  /** An object in a row: its columns have the name of its own in front. */
  #inner(path: string, column: string, cellOf: (name: string) => number, open: Open): ObjectPlan {
    const names = this.#header(path, [])
    const cell = (name: string): number =>
      names.includes(name) ? cellOf(legacyName(`${column}_${name}`)) : -1
    return this.#object(path, cell, open, names.map(cell))
  }

  #header(path: string, parents: readonly string[]): string[] {
    const id = JSON.stringify([path, parents])
    let header = this.#headers.get(id)
    if (header === undefined) {
      header = withHashedClashes([...this.#columnNames(path), ...parents])
      this.#headers.set(id, header)
    }
    return header
  }

  #columnNames(path: string): string[] {
    const names: string[] = []
    for (const [key, type] of this.#structure.columns(path)) {
      if (type !== 'object') names.push(key)
      else for (const name of this.#header(`${path}.${key}`, [])) names.push(`${key}_${name}`)
    }
    return names
  }
}

const roleOf = (type: string): ColumnPlan['role'] =>
  isListType(type) ? 'array' : type === 'object' ? 'object' : 'scalar'

const withHashedClashes = (names: readonly string[]): string[] => {
  const header: string[] = []
  for (const name of names) {
    const safe = legacyName(name)
    header.push(header.includes(safe) ? md5Digest(name) : safe)
  }
  return header
}

/** The old rule for names: shortened before it is cleaned, runs of underscores stay. */
const legacyName = (name: string): string => {
  const bytes = Buffer.byteLength(name)
  return shortName(name, bytes)
    .replace(/[^A-Za-z0-9-]/gu, c => '_'.repeat(Buffer.byteLength(c)))
    .replace(/^_+|_+$/g, '')
}
