import type { Json } from '../../json/json-value.ts'
import { pathInside } from '../../paths/path-inside.ts'
import { csvLine } from '../values/php/cell.ts'
import type { ExtraColumns } from '../values/php/php-serialize.ts'
import { safeName } from '../values/php/safe-name.ts'
import { type BytePage, BytePages, type ReadBytes } from './bytes/byte-page.ts'
import { columnIds, planRows, type TableBytes } from './bytes/byte-plan.ts'
import { type LearnEvents, learnItems } from './learn.ts'
import type { Structure } from './structure.ts'
import type { StructureNode } from './structure-node.ts'
import { columnNames } from './table-header.ts'
import type { TableNames } from './table-names.ts'
import { TableSpool, type TableSpoolState } from './table-spool.ts'

/** Columns over all segments, 8 bytes each. */
const MAX_PLANNED_COLUMNS = 2_000_000

interface LiveTablesOptions {
  structure: Structure
  folder: string
  compat: boolean
  names: TableNames
  nestedList(path: string): void
}

/** What is known of a data type, and the rows of one page of it. */
interface Family {
  pages: BytePages
  tables: TableBytes[]
  root: TableSpool
}

export interface PageRows {
  /** What was known when they were written; they are of no use when it is more by now. */
  family: object
  /** Tables whose first row is among them, in the order of those rows, with the names of their parent columns. */
  begun: { table: TableBytes; parents: readonly string[] }[]
  tables: TableRows[]
}

interface TableRows extends Pick<TableBytes, 'name' | 'count' | 'itemsType'> {
  bytes: Uint8Array
}

/**
 * Writes rows while pages arrive, with the columns known so far; later columns start a new segment of the spool.
 *
 * Gives up (`isExact` turns false) when something makes rows written before wrong in a way that moving columns cannot
 * mend; the tables then come from the item log.
 */
export class LiveTables {
  readonly tables = new Map<string, { node: StructureNode; spool: TableSpool }>()
  isExact = true
  readonly #options: LiveTablesOptions
  readonly #families = new Map<string, Family>()
  readonly #events: LearnEvents
  #started = 0
  #plannedColumns = 0
  #isUnstable = false
  #restoring: Map<string, TableSpoolState> | undefined

  constructor(options: LiveTablesOptions) {
    this.#options = options
    const unstable = () => {
      this.#isUnstable = true
    }
    this.#events = { nestedList: options.nestedList, unstable }
  }

  /**
   * Adds a page: writes its rows and, when they do not fit what is known, learns from the items before. Once that is not exact, it only learns.
   *
   * @param bodies the page as bytes, the last one written here
   */
  add(
    type: string,
    items: readonly Json[],
    parent: ExtraColumns,
    bodies: readonly (() => ReadBytes)[],
  ): void {
    const write = (): PageRows | undefined => {
      if (!this.isExact || !this.#families.has(type)) return undefined
      for (const body of bodies) {
        const read = this.read(type, { ...body(), parent })
        if (read !== undefined) return read.rows
      }
      return undefined
    }
    let rows = write()
    if (rows === undefined) {
      this.#learn(type, items)
      const learnt = write()
      // Learning has followed step by step what null hides
      rows = learnt && { ...learnt, tables: learnt.tables.map(table => ({ ...table, itemsType: undefined })) }
      this.isExact &&= rows !== undefined
    }
    this.#options.structure.nameColumns()
    if (rows !== undefined) this.#take(rows)
  }

  /** Reads a page from its bytes with what is known of its type; nothing when that is not enough. */
  read(type: string, given: ReadBytes): { page: BytePage; rows: PageRows } | undefined {
    const family = this.isExact ? this.#families.get(type) : undefined
    if (family === undefined || !hasParents(family.root, Object.keys(given.parent ?? {}))) return undefined
    const read = family.pages.read(given)
    if (read === undefined) return undefined
    const { begun, ...page } = read
    const rows = {
      family,
      begun: begun.map(table => ({ table, parents: table.begins ?? [] })),
      tables: family.tables.map(rowsOf),
    }
    return { page, rows }
  }

  /** Takes a page that was read, in its turn. False when more is known by now: it has to be added. */
  take(type: string, rows: PageRows): boolean {
    if (!this.isExact || this.#families.get(type) !== rows.family) return false
    this.#options.structure.nameColumns()
    this.#take(rows)
    return true
  }

  #take({ begun, tables }: PageRows): void {
    for (const { table, parents } of begun) {
      const spool = this.tables.get(table.name)?.spool
      if (spool === undefined || spool.order >= 0) continue // begun by a page that was read before and taken since
      table.isStarted = true
      spool.order = this.#started++
      spool.parents = parents
    }
    for (const { name, bytes, count, itemsType } of tables) {
      const table = this.tables.get(name)
      if (table === undefined) continue
      if (itemsType !== undefined) table.node.type = itemsType
      if (count === 0) continue
      if (table.spool.bytes === 0) table.spool.expectHeader(this.#expectedHeader(table))
      table.spool.write(bytes, count)
    }
  }

  #expectedHeader({ node, spool }: { node: StructureNode; spool: TableSpool }): string {
    const columns = [...columnNames(node, this.#options.compat), ...(spool.parents ?? []).map(safeName)]
    return columns.length === 0 ? '' : csvLine(columns)
  }

  /** The first page of a type breaks nothing, whatever it upgrades: no row of it is written yet. */
  #learn(type: string, items: readonly Json[]): void {
    learnItems(this.#options.structure.root(type), items, this.#events)
    if (!this.isExact) return
    const known = this.#families.get(type)
    if (known === undefined) this.#isUnstable = false
    if (this.#isUnstable) this.isExact = false
    else this.#plan(type)
  }

  /** What `restore` needs, after a flush. */
  save(): TableSpoolState[] {
    return [...this.tables.values()].map(({ spool }) => spool.save())
  }

  /** Resumes after a checkpoint: types that have rows are planned from what was known. */
  restore(states: readonly TableSpoolState[]): void {
    this.#restoring = new Map(states.map(state => [state.name, state]))
    for (const type of this.#options.structure.roots.keys()) {
      this.#plan(type)
      if ((this.#families.get(type)?.root.order ?? -1) < 0) this.#families.delete(type)
    }
    this.#started = states.filter(state => state.order >= 0).length
    this.#restoring = undefined
  }

  /** Rows of the type are written with what is known of it from here on. */
  #plan(type: string): void {
    const { items } = this.#options.structure.root(type)
    if (items === undefined) return
    const plan = planRows(items, this.#options.names)
    const spools = plan.tables.map(table => {
      const spool = this.#spool(table)
      table.isStarted = spool.order >= 0
      return { spool, columns: columnIds(table.node) }
    })
    if (!this.isExact) return
    for (const { spool, columns } of spools) spool.startSegment(columns)
    this.#plannedColumns += spools.reduce((sum, { columns }) => sum + columns.length, 0)
    // Ids as keys, most likely: every page brings new columns, and each segment would list them all.
    if (this.#plannedColumns > MAX_PLANNED_COLUMNS) this.isExact = false
    const pages = new BytePages(plan, this.#options.compat, this.#options.nestedList)
    this.#families.set(type, { pages, tables: plan.tables, root: this.#spool(plan.items.table) })
  }

  #spool({ name, node }: TableBytes): TableSpool {
    const known = this.tables.get(name)
    if (known !== undefined) {
      if (known.node !== node) this.isExact = false // two paths, one name: rows of both would mix
      return known.spool
    }
    const spool = new TableSpool(name, pathInside(this.#options.folder, `rows-${this.tables.size}.csv`))
    const state = this.#restoring?.get(name)
    if (state !== undefined) spool.restore(state)
    this.tables.set(name, { node, spool })
    return spool
  }

  flush(): void {
    for (const { spool } of this.tables.values()) spool.flush()
  }
}

/** Other parent columns than the table began with change its width in the middle. */
const hasParents = ({ parents }: TableSpool, names: readonly string[]): boolean =>
  parents === undefined || (names.length === parents.length && parents.every((name, i) => name === names[i]))

const rowsOf = ({ name, rows, count, itemsType }: TableBytes): TableRows => ({
  name,
  count,
  bytes: rows.bytes.subarray(0, rows.length),
  itemsType,
})
