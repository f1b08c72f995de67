import { pathInside } from '../../paths/path-inside.ts'
import type { ExtraColumns } from '../php/php-serialize.ts'
import { safeName } from '../php/safe-name.ts'
import { BytePages } from './bytes/byte-page.ts'
import { csvLine } from './cell.ts'
import type { Json } from './json-value.ts'
import { type LearnEvents, learnItems } from './learn.ts'
import { type ItemsPlan, planItems } from './row-plan.ts'
import { disorder, mismatch, type ParentColumns, RowWriter } from './row-writer.ts'
import type { Structure } from './structure.ts'
import type { StructureNode } from './structure-node.ts'
import { columnNames } from './table-header.ts'
import { TableSpool, type TableSpoolState } from './table-spool.ts'
import type { PageRows } from './written-rows.ts'

/** Columns over all segments, 8 bytes each. */
const MAX_PLANNED_COLUMNS = 2_000_000

interface LiveTablesOptions {
  structure: Structure
  folder: string
  compat: boolean
  nestedList(path: string): void
}

/** Rows of one data type and of the lists in it. */
interface Family {
  plan: ItemsPlan<TableSpool>
  tables: TableSpool[]
  /** Reads pages with the plan as it was at a version. */
  bytes?: { version: number; pages: BytePages }
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
  started = 0
  /** Grows when rows are made in another way than before, or a table begins. */
  version = 0
  readonly #options: LiveTablesOptions
  readonly #families = new Map<string, Family>()
  readonly #writer: RowWriter
  readonly #events: LearnEvents
  #plannedColumns = 0
  #isUnstable = false
  /** Whether the rest of the current page was learnt already; learning is not to be done twice. */
  #isLearnt = false
  #restoring: Map<string, TableSpoolState> | undefined

  constructor(options: LiveTablesOptions) {
    this.#options = options
    this.#events = { nestedList: options.nestedList, unstable: () => this.#noteUnstable() }
    this.#writer = new RowWriter({
      compat: options.compat,
      nestedList: options.nestedList,
      tableStarted: (plan, parents) => {
        plan.table.parents = parents
        plan.table.order = this.started++
        this.version++
      },
    })
  }

  /** Learns from the items and, as long as that is exact, writes their rows. */
  add(type: string, items: readonly Json[], parents: ParentColumns | undefined): void {
    this.#isLearnt = false
    this.#writer.tracksNulls = true
    const family = this.isExact ? this.#family(type, items) : undefined
    if (family === undefined || !this.#fits(family, parents)) {
      learnItems(this.#options.structure.root(type), items, this.#events)
      this.isExact = false
      return
    }
    for (let i = 0; i < items.length && this.isExact; i++) this.#writeItem(type, family, items, i, parents)
  }

  /** Call when the columns of the page that was added have their names. */
  settle(type: string): void {
    if (!this.isExact) return
    for (const table of this.#families.get(type)?.tables ?? []) {
      if (table.bytes === 0 && table.order >= 0) table.expectHeader(this.#expectedHeader(table))
      table.accept()
    }
  }

  /** Reads pages of a data type from their bytes, with what is known of it; nothing when its pages have to be added. */
  bytesOf(type: string, parent: ExtraColumns): BytePages | undefined {
    const family = this.isExact ? this.#families.get(type) : undefined
    if (family === undefined || family.plan.table.order < 0 || !hasParents(family, Object.keys(parent)))
      return undefined
    if (family.bytes?.version !== this.version)
      family.bytes = { version: this.version, pages: new BytePages(family.plan, this.#options.compat) }
    return family.bytes.pages
  }

  /** Takes rows that were written with what is known of a data type now. */
  accept(rows: PageRows): void {
    for (const { name, bytes, rows: count, itemsType } of rows.tables) {
      const table = this.tables.get(name)
      if (table === undefined) continue
      if (itemsType !== undefined) table.node.type = itemsType
      if (count > 0) table.spool.acceptBytes(bytes, count)
    }
  }

  #expectedHeader(table: TableSpool): string {
    const node = this.tables.get(table.name)?.node
    if (node === undefined) return ''
    const columns = [...columnNames(node, this.#options.compat), ...(table.parents ?? []).map(safeName)]
    return columns.length === 0 ? '' : csvLine(columns)
  }

  #writeItem(
    type: string,
    family: Family,
    items: readonly Json[],
    index: number,
    parents: ParentColumns | undefined,
  ): void {
    const tables = family.tables
    const started = this.started
    this.#writer.mark()
    for (let i = 0; i < tables.length; i++) (tables[i] as TableSpool).mark() // within the length
    try {
      this.#writer.writeItem(family.plan, items[index] as Json, parents) // within the length
    } catch (error) {
      if (error !== mismatch && error !== disorder) throw error
      for (const table of tables) table.rollBack(started)
      this.#writer.rollBack()
      this.started = started
      if (error === disorder) {
        this.#writeItem(type, family, items, index, parents)
        return
      }
      // Learnt and still no fit: a single value where others have a list, or the like.
      if (this.#isLearnt) {
        this.isExact = false
        return
      }
      // The rest of the page too, so that a page makes at most one new plan.
      learnItems(this.#options.structure.root(type), items.slice(index), this.#events)
      this.#noteLearnt()
      if (this.#isUnstable) this.isExact = false
      if (!this.isExact) return
      this.#replan(type, family)
      this.#writeItem(type, family, items, index, parents)
    }
  }

  /** The first page of a type is learnt whole before a row is written; then what it upgrades breaks nothing. */
  #family(type: string, items: readonly Json[]): Family | undefined {
    const known = this.#families.get(type)
    if (known !== undefined) return known
    learnItems(this.#options.structure.root(type), items, this.#events)
    this.#noteLearnt()
    this.#isUnstable = false
    const family: Family = { plan: emptyPlan, tables: [] }
    this.#replan(type, family)
    this.#families.set(type, family)
    return this.isExact ? family : undefined
  }

  /** What `restore` needs, after a flush. */
  save(): TableSpoolState[] {
    return [...this.tables.values()].map(({ spool }) => spool.save())
  }

  /** Resumes after a checkpoint: types that have rows are planned from what was known. */
  restore(states: readonly TableSpoolState[]): void {
    const byName = new Map(states.map(state => [state.name, state]))
    this.#restoring = byName
    for (const type of this.#options.structure.roots.keys()) {
      const family: Family = { plan: emptyPlan, tables: [] }
      this.#replan(type, family)
      if (family.plan !== emptyPlan && family.plan.table.order >= 0) this.#families.set(type, family)
    }
    this.started = states.filter(state => state.order >= 0).length
    this.#restoring = undefined
  }

  #replan(type: string, family: Family): void {
    const items = this.#options.structure.root(type).items
    if (items === undefined) return
    const tables: TableSpool[] = []
    const plan = planItems(items, node => {
      const table = this.#table(node)
      tables.push(table)
      return table
    })
    family.plan = plan
    family.tables = tables
    this.version++
    if (!this.isExact) return
    startSegments(plan)
    this.#plannedColumns += tables.reduce(
      (sum, table) => sum + (table.segments.at(-1)?.columns.length ?? 0),
      0,
    )
    // Ids as keys, most likely: every page brings new columns, and each segment would list them all.
    if (this.#plannedColumns > MAX_PLANNED_COLUMNS) this.isExact = false
  }

  #table(node: StructureNode): TableSpool {
    const name = safeName(node.cleanPath)
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

  /** Other parent columns than the table began with change its width in the middle. */
  #fits(family: Family, parents: ParentColumns | undefined): boolean {
    return family.plan.table.parents === undefined || hasParents(family, parents?.names ?? [])
  }

  /** From here on the items of the page are in the structure, nulls that hide a type included. */
  #noteLearnt(): void {
    this.#isLearnt = true
    this.#writer.tracksNulls = false
  }

  #noteUnstable(): void {
    this.#isUnstable = true
  }

  flush(): void {
    for (const { spool } of this.tables.values()) spool.flush()
  }
}

const hasParents = ({ plan }: Family, names: readonly string[]): boolean => {
  const { parents = [] } = plan.table
  return names.length === parents.length && parents.every((name, i) => name === names[i])
}

const startSegments = (plan: ItemsPlan<TableSpool>): void => {
  plan.table.startSegment(plan.object.ids)
  const visit = (object: ItemsPlan<TableSpool>['object']): void => {
    for (const column of object.columns) {
      if (column.object !== undefined) visit(column.object)
      if (column.items !== undefined) startSegments(column.items)
    }
  }
  visit(plan.object)
}

// Replaced before use: `replan` always follows.
const emptyPlan = {} as ItemsPlan<TableSpool>
