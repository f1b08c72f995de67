import type { Json } from '../../json/json-value.ts'
import { pathInside } from '../../paths/path-inside.ts'
import type { ExtraColumns } from '../values/php/php-serialize.ts'
import { safeName } from '../values/php/php-values.ts'
import { columnNodes, dataColumns, type ItemsPlan, kindOf, planObject } from './row-plan.ts'
import { misfit, RowWriter } from './row-writer.ts'
import type { Structure } from './structure.ts'
import { type LearnEvents, learnItems, type StructureNode } from './structure-node.ts'
import {
  addParentColumn,
  columnNames,
  headerLine,
  isUnderHiddenItems,
  type TableNames,
} from './table-header.ts'
import { type Segment, TableSpool, type TableSpoolState } from './table-spool.ts'
import type { FinishedTable } from './write-tables.ts'

/** Columns over all segments, 8 bytes each. */
const MAX_PLANNED_COLUMNS = 2_000_000

interface LiveTablesOptions {
  structure: Structure
  folder: string
  compat: boolean
  names: TableNames
  nestedList(path: string): void
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

/**
 * Writes rows while pages arrive, with the columns known so far; later columns start a new segment of the spool.
 *
 * Gives up (`isExact` turns false) when something makes rows written before wrong in a way that moving columns cannot
 * mend; the tables then come from the item log.
 */
export class LiveTables {
  readonly #tables = new Map<string, LiveTable>()
  isExact = true
  readonly #options: LiveTablesOptions
  readonly #families = new Map<string, Family>()
  readonly #events: LearnEvents
  readonly #writer: RowWriter
  /** Tables whose first rows are in the page, in the order of those rows. */
  #begun: LiveTable[] = []
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
    this.#writer = new RowWriter({
      compat: options.compat,
      isStrict: true,
      opened: (table, parents) => this.#open(table as LiveTable, parents), // plans have no others
      nestedList: table => options.nestedList((table as LiveTable).node.path.join('.')),
    })
  }

  /**
   * Adds a page: writes its rows and, when they do not fit what is known, learns the page before. Once that is not exact, it only learns.
   */
  add(type: string, items: readonly Json[], parents: ExtraColumns): void {
    const isWritten = this.#write(type, items, parents)
    if (!isWritten) {
      this.#learn(type, items)
      this.isExact &&= this.#write(type, items, parents, true)
    }
    // Of every page: a name that counts as none is given again
    this.#options.structure.nameColumns()
    if (this.isExact) this.#keep(this.#families.get(type)?.tables ?? [])
  }

  /** @param isLearnt learning has followed step by step what null hides */
  #write(type: string, items: readonly Json[], parents: ExtraColumns, isLearnt = false): boolean {
    const family = this.isExact ? this.#families.get(type) : undefined
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
    learnItems(this.#options.structure.root(type), items, this.#events)
    if (!this.isExact) return
    const known = this.#families.get(type)
    if (known === undefined) this.#isUnstable = false
    if (this.#isUnstable) this.isExact = false
    else this.#plan(type)
  }

  /** Flushes, and returns what `restore` needs. */
  save(): TableSpoolState[] {
    return [...this.#tables.values()].map(table => table.save())
  }

  /** Resumes after a checkpoint: types that have rows are planned from what was known. */
  restore(states: readonly TableSpoolState[]): void {
    this.#restoring = new Map(states.map(state => [state.name, state]))
    for (const type of this.#options.structure.roots.keys()) {
      this.#plan(type)
      if ((this.#families.get(type)?.tables[0]?.order ?? -1) < 0) this.#families.delete(type)
    }
    this.#started = states.filter(state => state.order >= 0).length
    this.#restoring = undefined
  }

  /** Rows of the type are written with what is known of it from here on. */
  #plan(type: string): void {
    const { items } = this.#options.structure.root(type)
    if (items === undefined) return
    const tables: LiveTable[] = []
    const plan = this.#planItems(items, tables)
    if (!this.isExact) return
    for (const table of tables) {
      table.startSegment(columnNodes(table.node).map(({ id }) => id))
      this.#plannedColumns += table.segments.at(-1)?.columns.length ?? 0
    }
    // Ids as keys, most likely: every page brings new columns, and each segment would list them all.
    if (this.#plannedColumns > MAX_PLANNED_COLUMNS) this.isExact = false
    this.#families.set(type, { items: plan, tables })
  }

  /** Types that null has hidden count as they were before. */
  #planItems(node: StructureNode, tables: LiveTable[]): ItemsPlan {
    const table = this.#table(node)
    tables.push(table)
    const nodes = columnNodes(node)
    const cells = new Map(nodes.map((column, cell) => [column, cell]))
    const cellOf = (column: StructureNode): number => cells.get(column) ?? -1
    const listOf = (items: StructureNode) => {
      const inner = this.#planItems(items, tables)
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

  #table(node: StructureNode): LiveTable {
    const name = this.#options.names.of(node)
    const known = this.#tables.get(name)
    if (known !== undefined) {
      if (known.node !== node) this.isExact = false // two paths, one name: rows of both would mix
      return known
    }
    const file = pathInside(this.#options.folder, `rows-${this.#tables.size}.csv`)
    const table = new LiveTable(name, file, node)
    const state = this.#restoring?.get(name)
    if (state !== undefined) table.restore(state)
    this.#tables.set(name, table)
    return table
  }

  /**
   * Final headers for spooled rows, or `undefined` when the spool cannot give the exact tables.
   * Names the parent columns in the structure.
   */
  finish(): FinishedTable[] | undefined {
    if (!this.isExact) return undefined
    const { structure, compat } = this.#options
    const started = [...this.#tables.values()].filter(({ order }) => order >= 0)
    const reached = started.filter(({ node }) => !(compat && isUnderHiddenItems(node)))
    if (reached.some(({ node, parents }) => parents?.some(name => node.children.has(name)))) return undefined
    const finished: FinishedTable[] = []
    for (const table of reached.sort((a, b) => a.order - b.order)) {
      const { node, parents = [] } = table
      const ids = columnNodes(node).map(({ id }) => id)
      for (const name of parents) addParentColumn(structure, node, name)
      const columns = columnNames(node, compat)
      if (new Set(columns).size < columns.length) return undefined
      const about = { columns, primaryKey: [], types: [node.dataType] }
      finished.push(table.finish(about, segment => mapSegment(segment, table, ids, compat)))
    }
    return finished
  }
}

const noCells: ReadonlyMap<string, number> = new Map()

/** Columns of a segment that are gone were of nulls only, or the rows would not count as exact. */
const mapSegment = (
  segment: Segment,
  { node, parents = [] }: LiveTable,
  ids: readonly number[],
  compat: boolean,
): readonly number[] | undefined => {
  const parentCount = parents.length
  const isHidden = compat && node.type === 'null' && node.solid !== undefined
  const shown = isHidden ? ids.filter(id => id !== node.id) : ids
  const mapping = shown.map(id => (isHidden ? -1 : segment.columns.indexOf(id)))
  for (let i = 0; i < parentCount; i++) mapping.push(segment.columns.length + i)
  const isSame =
    mapping.length === segment.columns.length + parentCount && mapping.every((from, i) => from === i)
  return isSame ? undefined : mapping
}
