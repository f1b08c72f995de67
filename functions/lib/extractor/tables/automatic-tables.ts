import type { Json } from '../../json/json-value.ts'
import { pathInside } from '../../paths/path-inside.ts'
import type { ExtraColumns } from '../values/php/php-serialize.ts'
import { isScalar, safeName } from '../values/php/php-values.ts'
import { FinalTables } from './final-tables.ts'
import { columnNodes, dataColumns, type ItemsPlan, kindOf, planObject } from './row-plan.ts'
import { misfit, RowWriter } from './row-writer.ts'
import { loadStructure, type StoredStructure, type Structure, storeStructure } from './structure.ts'
import { type LearnEvents, learnItems, type StructureNode } from './structure-node.ts'
import {
  addParentColumn,
  checkParents,
  columnNames,
  headerLine,
  isUnderHiddenItems,
  mapColumns,
  TableNames,
} from './table-header.ts'
import { ItemLog, type PageSource, type Segment, TableSpool, type TableSpoolState } from './table-spool.ts'
import type { FinishedTable, TablesOptions } from './write-tables.ts'

/** Columns over all segments, 8 bytes each. */
const MAX_PLANNED_COLUMNS = 2_000_000

export interface AutomaticTablesState {
  structure: StoredStructure
  isExact: boolean
  logBytes: number
  spools: TableSpoolState[]
  parents: [type: string, names: string[]][]
}

class LiveTable extends TableSpool {
  readonly node: StructureNode

  constructor(name: string, file: string, node: StructureNode) {
    super(name, file)
    this.node = node
  }
}

/** What is known of a data type. */
interface Family {
  items: ItemsPlan
  tables: LiveTable[]
}

type SavedSpools = ReadonlyMap<string, TableSpoolState>

/**
 * Data types without a mapping: tables and columns come from the JSON itself
 * (docs/reference/extractor-tables.md#structure).
 *
 * Writes rows while pages arrive, with the columns known so far; later columns start a new segment of the spool. Gives up when something
 * makes rows written before wrong in a way that moving columns cannot mend; the tables then come from the log of the pages.
 */
export class AutomaticTables {
  readonly #options: TablesOptions
  readonly #structure: Structure
  readonly #names: TableNames
  readonly #log: ItemLog
  /** Columns from parents, by data type. */
  readonly #parents: Map<string, Set<string>>
  readonly #tables = new Map<string, LiveTable>()
  readonly #families = new Map<string, Family>()
  readonly #events: LearnEvents
  readonly #writer: RowWriter
  /** Whether the rows written so far are those of the tables. */
  #isExact: boolean
  /** Tables whose first rows are in the page, in the order of those rows. */
  #begun: LiveTable[] = []
  #started = 0
  #plannedColumns = 0
  #isUnstable = false
  #learnt: unknown

  constructor(options: TablesOptions, state: AutomaticTablesState | undefined) {
    const { folder, compat, isTyped, dataTypes, warn } = options
    this.#options = options
    this.#structure = state ? loadStructure(state.structure, true) : loadStructure(options.structure)
    this.#structure.isCompat = compat
    this.#names = new TableNames(compat ? [] : [...dataTypes, ...this.#structure.roots.keys()], warn)
    this.#log = new ItemLog(folder, state?.logBytes)
    this.#parents = new Map(state?.parents.map(([type, names]) => [type, new Set(names)]))
    const nestedList = (path: string): void => warn(`Converting nested array '${path}' to JSON string.`)
    const unstable = () => {
      this.#isUnstable = true
    }
    this.#events = { nestedList, unstable }
    this.#writer = new RowWriter({
      compat,
      isStrict: true,
      opened: (table, parents) => this.#open(table as LiveTable, parents), // plans have no others
      nestedList: table => nestedList((table as LiveTable).node.path.join('.')),
    })
    // The kinds of values are noted where rows are written of items.
    this.#isExact = !isTyped && (state?.isExact ?? !this.#structure.hasParentColumns())
    if (state?.isExact) this.#restore(state.spools)
  }

  add(type: string, items: readonly Json[], parents: ExtraColumns, source?: PageSource): void {
    if (isNothing(items, this.#options.compat)) return
    checkParents(parents)
    const known = this.#parents.get(type) ?? new Set()
    this.#parents.set(type, known)
    for (const name in parents) known.add(name)
    this.#log.append(type, parents, items, source)
    // What does not fit is learnt before it is written, and only learnt once rows are not exact
    if (!this.#write(type, items, parents)) {
      this.#learn(type, items)
      this.#isExact &&= this.#write(type, items, parents, true)
    }
    // Of every page: a name that counts as none is given again
    this.#structure.nameColumns()
    if (this.#isExact) this.#keep(this.#families.get(type)?.tables ?? [])
  }

  /** @param isLearnt learning has followed step by step what null hides */
  #write(type: string, items: readonly Json[], parents: ExtraColumns, isLearnt = false): boolean {
    const family = this.#isExact ? this.#families.get(type) : undefined
    if (family === undefined) return false
    this.#begun = []
    try {
      this.#writer.write(family.items, items, parents)
      if (isLearnt) for (const table of family.tables) table.itemsType = undefined
      return true
    } catch (error) {
      for (const table of family.tables) table.drop()
      for (const table of this.#begun) table.parents = undefined
      if (error === misfit) return false
      throw error
    }
  }

  /** Other parent columns than the table began with change its width in the middle. */
  #open(table: LiveTable, parents: ExtraColumns): void {
    if (table.parents === undefined) {
      table.parents = Object.keys(parents)
      this.#begun.push(table)
    }
    let count = 0
    for (const name in parents) if (table.parents[count++] !== name) throw misfit
    if (count !== table.parents.length) throw misfit
  }

  /** The rows of the page. */
  #keep(tables: readonly LiveTable[]): void {
    for (const table of this.#begun) table.order = this.#started++
    for (const table of tables) {
      const { node, itemsType } = table
      if (itemsType !== undefined) node.type = itemsType
      if (table.count > 0 && table.bytes === 0) table.begin(this.#expectedHeader(table))
      table.keep()
    }
  }

  #expectedHeader({ node, parents = [] }: LiveTable): string {
    return headerLine([...columnNames(node, this.#options.compat), ...parents.map(safeName)])
  }

  /** The first page of a type breaks nothing, whatever it upgrades: no row of it is written yet. */
  #learn(type: string, items: readonly Json[]): void {
    learnItems(this.#structure.root(type), items, this.#events)
    if (!this.#isExact) return
    const known = this.#families.get(type)
    if (known === undefined) this.#isUnstable = false
    if (this.#isUnstable) this.#isExact = false
    else this.#plan(type)
  }

  /** Resumes after a checkpoint: types that have rows are planned from what was known. */
  #restore(states: readonly TableSpoolState[]): void {
    const saved = new Map(states.map(state => [state.name, state]))
    for (const type of this.#structure.roots.keys()) {
      this.#plan(type, saved)
      if ((this.#families.get(type)?.tables[0]?.order ?? -1) < 0) this.#families.delete(type)
    }
    this.#started = states.filter(state => state.order >= 0).length
  }

  /** Rows of the type are written with what is known of it from here on. */
  #plan(type: string, saved?: SavedSpools): void {
    const { items } = this.#structure.root(type)
    if (items === undefined) return
    const tables: LiveTable[] = []
    const plan = this.#planItems(items, tables, saved)
    if (!this.#isExact) return
    for (const table of tables) {
      table.startSegment(columnNodes(table.node).map(({ id }) => id))
      this.#plannedColumns += table.segments.at(-1)?.columns.length ?? 0
    }
    // Ids as keys, most likely: every page brings new columns, and each segment would list them all.
    if (this.#plannedColumns > MAX_PLANNED_COLUMNS) this.#isExact = false
    this.#families.set(type, { items: plan, tables })
  }

  /** Types that null has hidden count as they were before. */
  #planItems(node: StructureNode, tables: LiveTable[], saved?: SavedSpools): ItemsPlan {
    const table = this.#table(node, saved)
    tables.push(table)
    const nodes = columnNodes(node)
    const cells = new Map(nodes.map((column, cell) => [column, cell]))
    const cellOf = (column: StructureNode): number => cells.get(column) ?? -1
    const listOf = (items: StructureNode) => {
      const inner = this.#planItems(items, tables, saved)
      const isNull = (): void => {
        inner.table.itemsType = 'null' // as Generic Extractor forgets what they are
      }
      return { open: () => inner, kind: inner.kind, isNull }
    }
    return {
      kind: kindOf(node.solid ?? node.type),
      object: planObject(node, { columnsOf: dataColumns, cellOf, listOf, isShared: false }),
      dataCell: cellOf(node),
      width: nodes.length,
      parentCells: noCells,
      table,
    }
  }

  #table(node: StructureNode, saved?: SavedSpools): LiveTable {
    const name = this.#names.of(node)
    const known = this.#tables.get(name)
    if (known !== undefined) {
      if (known.node !== node) this.#isExact = false // two paths, one name: rows of both would mix
      return known
    }
    const file = pathInside(this.#options.folder, `rows-${this.#tables.size}.csv`)
    const table = new LiveTable(name, file, node)
    const state = saved?.get(name)
    if (state !== undefined) table.restore(state)
    this.#tables.set(name, table)
    return table
  }

  /** Flushes and returns what another process needs as `options.state`. */
  checkpoint(): AutomaticTablesState {
    this.#log.flush()
    return {
      structure: storeStructure(this.#structure, true),
      isExact: this.#isExact,
      logBytes: this.#log.bytes,
      spools: [...this.#tables.values()].map(table => table.save()),
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
    const live = this.#finishLive()
    if (live !== undefined) return live
    // All pages once more, now that the structure is known
    const structure = loadStructure(before, true)
    const final = new FinalTables({ ...this.#options, structure, names: this.#names })
    if (!this.#options.compat) final.expectParents(this.#parents)
    return final.write(this.#log)
  }

  /**
   * Final headers for spooled rows, or `undefined` when the spool cannot give the exact tables.
   * Names the parent columns in the structure.
   */
  #finishLive(): FinishedTable[] | undefined {
    if (!this.#isExact) return undefined
    const { compat } = this.#options
    const started = [...this.#tables.values()].filter(({ order }) => order >= 0)
    const reached = started.filter(({ node }) => !(compat && isUnderHiddenItems(node)))
    if (reached.some(({ node, parents }) => parents?.some(name => node.children.has(name)))) return undefined
    const finished: FinishedTable[] = []
    for (const table of reached.sort((a, b) => a.order - b.order)) {
      const { node, parents = [] } = table
      const ids = columnNodes(node).map(({ id }) => id)
      for (const name of parents) addParentColumn(this.#structure, node, name)
      const columns = columnNames(node, compat)
      if (new Set(columns).size < columns.length) return undefined
      const about = { columns, primaryKey: [], types: [node.dataType] }
      const mappingOf = ({ columns }: Segment) => mapColumns(columns, node, ids, parents.length, compat)
      finished.push(table.finish(about, mappingOf))
    }
    return finished
  }
}

const noCells: ReadonlyMap<string, number> = new Map()

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
