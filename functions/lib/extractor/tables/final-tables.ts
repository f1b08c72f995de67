import { pathInside } from '../../paths/path-inside.ts'
import { csvLine } from '../values/php/php-values.ts'
import { ColumnKinds, type ItemsPlan, kindOf, type ListPlan, planObject } from './row-plan.ts'
import { RowWriter } from './row-writer.ts'
import type { Structure } from './structure.ts'
import { ITEMS, type StructureNode } from './structure-node.ts'
import { addParentColumn, columnNames, headerLine, type TableNames, typeOf } from './table-header.ts'
import { type ItemLog, TableSpool } from './table-spool.ts'
import type { FinishedTable, TablesOptions } from './write-tables.ts'

/** A table whose rows are written once all of its columns are known. */
class WholeTable extends TableSpool {
  columns: readonly string[] = []
  insteadOf: string | undefined
  readonly types = new Set<string>()
}

/** Tables by name, in the order of their first rows, from pages that are read again. */
export class WholeTables {
  readonly #folder: string
  readonly #tables = new Map<string, WholeTable>()

  constructor(folder: string) {
    this.#folder = folder
  }

  columnsOf(name: string): readonly string[] | undefined {
    return this.#tables.get(name)?.columns
  }

  /** @param type whose rows go to it from here on */
  open(
    name: string,
    columns: readonly string[],
    type: string,
    { insteadOf, kinds }: { insteadOf?: string | undefined; kinds?: ColumnKinds | undefined } = {},
  ): WholeTable {
    let table = this.#tables.get(name)
    if (table === undefined) {
      table = new WholeTable(name, pathInside(this.#folder, `whole-${this.#tables.size}.csv`), kinds)
      Object.assign(table.begin(headerLine(columns)), { columns, insteadOf })
      this.#tables.set(name, table)
    }
    table.types.add(type)
    return table
  }

  async write(
    log: ItemLog,
    compat: boolean,
    planOf: (type: string, parents: readonly string[]) => ItemsPlan,
  ): Promise<FinishedTable[]> {
    const writer = new RowWriter({ compat, isStrict: false })
    for await (const { type, items, parent } of log.pages()) {
      writer.write(planOf(type, Object.keys(parent)), items, parent)
      for (const table of this.#tables.values()) table.keep()
    }
    return [...this.#tables.values()].map(table => {
      const { columns, insteadOf, types } = table
      return table.finish({
        columns: [...columns],
        primaryKey: [],
        types: [...types],
        ...(insteadOf !== undefined && { insteadOf }),
      })
    })
  }
}

interface FinalTablesOptions extends Pick<TablesOptions, 'folder' | 'compat' | 'isTyped'> {
  structure: Structure
  names: TableNames
}

interface FinalPlan extends ItemsPlan {
  aliases: Map<string, string>
  table: WholeTable
}

/**
 * Tables from items that are read again once the whole structure is known, oddities of Generic Extractor included: for what moving columns
 * cannot mend (a value that becomes a list, two places with one table name, parent columns that clash).
 */
export class FinalTables {
  readonly #options: FinalTablesOptions
  readonly #tables: WholeTables
  readonly #plans = new Map<StructureNode, FinalPlan>()

  constructor(options: FinalTablesOptions) {
    this.#options = options
    this.#tables = new WholeTables(options.folder)
  }

  write(log: ItemLog): Promise<FinishedTable[]> {
    const { structure, compat } = this.#options
    return this.#tables.write(log, compat, (type, parents) =>
      this.#open(structure.root(type).child(ITEMS), parents),
    )
  }

  /** The columns that rows of a data type have from its parents, before any of its rows: they may come with later ones only. */
  expectParents(byType: ReadonlyMap<string, Iterable<string>>): void {
    for (const [type, names] of byType) {
      const list = this.#options.structure.root(type).child(ITEMS)
      for (const name of names) this.#addParent(list, name)
    }
  }

  /** Returns the name that the column has. */
  #addParent(node: StructureNode, name: string): string {
    const { structure } = this.#options
    return addParentColumn(structure, node, structure.parentAliases.get(name) ?? name)
  }

  #open(node: StructureNode, parents: readonly string[]): ItemsPlan {
    const known = this.#plans.get(node)
    if (known !== undefined && parents.every(name => known.aliases.has(name))) return known
    const aliases = known?.aliases ?? new Map<string, string>()
    for (const name of parents) if (!aliases.has(name)) aliases.set(name, this.#addParent(node, name))
    const columns = columnNames(node, this.#options.compat)
    const plan = this.#plan(node, columns, aliases, known?.table ?? this.#table(node, columns))
    this.#plans.set(node, plan)
    return plan
  }

  /** Columns of one name share a cell, as in Generic Extractor. */
  #plan(
    node: StructureNode,
    columns: readonly string[],
    aliases: Map<string, string>,
    table: WholeTable,
  ): FinalPlan {
    const cells = new Map([...new Set(columns)].map((name, cell) => [name, cell]))
    const cellOf = ({ header = '' }: StructureNode): number => cells.get(header) ?? -1
    const ofParents = [...node.children.values()].filter(({ isParent }) => isParent)
    const isShared = cells.size < columns.length
    return {
      kind: kindOf(typeOf(node, this.#options.compat)),
      object: planObject(node, { columnsOf: withoutItems, cellOf, listOf: this.#list, isShared }),
      dataCell: cellOf(node),
      width: cells.size,
      names: [...cells.keys()],
      parentCells: new Map(ofParents.map(parent => [parent.key, cellOf(parent)])),
      aliases,
      table,
    }
  }

  readonly #list = (items: StructureNode): ListPlan => ({
    open: parents => this.#open(items, parents),
    kind: kindOf(typeOf(items, this.#options.compat)),
    isNull: () => {},
  })

  /** Rows of two places share a table only when their columns are the same; with `compat` as in Generic Extractor, which is said. */
  #table(node: StructureNode, columns: readonly string[]): WholeTable {
    const { compat, names, isTyped } = this.#options
    const asked = names.of(node)
    const isOther = (name: string): boolean =>
      csvLine(this.#tables.columnsOf(name) ?? columns) !== csvLine(columns)
    const name = !isOther(asked)
      ? asked
      : compat
        ? names.shared(node, asked)
        : names.instead(node, asked, isOther)
    return this.#tables.open(name, columns, node.dataType, {
      insteadOf: name === asked ? undefined : asked,
      kinds: isTyped ? new ColumnKinds() : undefined,
    })
  }
}

const withoutItems = ({ children }: StructureNode): StructureNode[] =>
  [...children.values()].filter(({ key }) => key !== ITEMS)
