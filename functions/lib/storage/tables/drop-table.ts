import { UserError } from '../../errors/errors.ts'
import { type Decision, together } from '../../items/item-table.ts'
import { columnNames } from '../../table-engine/files/snapshot.ts'
import { OVERTAKEN, untilWritten } from '../db/until-written.ts'
import { idsOf } from './aliases/alias-record.ts'
import { refuseReferencedColumn } from './aliases/alias-rules.ts'
import type { AliasStore } from './aliases/alias-store.ts'
import { tableBusy } from './table-errors.ts'
import type { TableHead } from './table-record.ts'
import { type TableStore, tableIdOf } from './table-store.ts'

interface DropTableOptions {
  force: boolean
  tables: TableStore
  aliases: AliasStore
  /** What tells that this one went. */
  telling: (tableId: string) => Decision
}

/**
 * Deletes a table or an alias, with `force` also all aliases that show it, which go before it: `dropped` are the ids of those. Refused when
 * somebody makes an alias of it meanwhile.
 *
 * Error: 400 `tables.cannotDeletedTableWithAliases`.
 */
export const dropping = (given: TableHead, options: DropTableOptions) => {
  const { force, tables, aliases, telling } = options
  const dropped: string[] = []
  return {
    dropped,
    decide: async (): Promise<Decision> => {
      const table = await tables.getHead(tableIdOf(given))
      if (!table || !idsOf(table).includes(given.internalId)) return []
      await refuseAliases(table, force, aliases)
      for (const alias of force ? (await aliases.treeOf(table)).toReversed() : []) {
        const id = tableIdOf(alias)
        if (!(await tables.decide(await together(aliases.deleting(alias), telling(id))))) return undefined
        dropped.push(id)
      }
      return table.alias ? aliases.deleting(table.alias.record) : tables.deleting(table)
    },
  }
}

/** The same at once. Resolves to the ids of the aliases. */
export const dropNow = async (table: TableHead, options: DropTableOptions): Promise<string[]> => {
  const { dropped, decide } = dropping(table, options)
  return untilWritten(
    () => tableBusy(tableIdOf(table)),
    async () => {
      const decision = await decide()
      if (decision?.length === 0) return dropped
      const told = await together(decision, options.telling(tableIdOf(table)))
      return (await options.tables.decide(told)) ? dropped : OVERTAKEN
    },
  )
}

/** Error: 400 `tables.cannotDeletedTableWithAliases`. */
export const refuseAliases = async (
  table: Pick<TableHead, 'internalId' | 'name'>,
  force: boolean,
  aliases: AliasStore,
): Promise<void> => {
  const found = force ? [] : await aliases.of(table)
  if (found.length > 0)
    throw new UserError(
      'tables.cannotDeletedTableWithAliases',
      `The table ${table.name} cannot be deleted because an alias exists. Delete with force to delete its aliases too.`,
      { params: { aliases: found.map(tableIdOf) } },
    )
}

/**
 * Aliases stay with the name of their source, so the other table has to have the columns that they name.
 *
 * Error: 400 `storage.tables.cannotDeleteReferencedColumn`.
 */
export const refuseSwap = async (one: TableHead, other: TableHead, aliases: AliasStore): Promise<void> => {
  await refuseLostColumns(one, other, aliases)
  await refuseLostColumns(other, one, aliases)
}

const refuseLostColumns = async (from: TableHead, to: TableHead, aliases: AliasStore): Promise<void> => {
  const kept = new Set(columnNames(to.snapshot))
  const lost = columnNames(from.snapshot).filter(name => !kept.has(name))
  if (lost.length === 0 || (await aliases.treeOf(from)).length === 0) return
  for (const name of lost) await refuseReferencedColumn(from, name, { force: true, aliases })
}
