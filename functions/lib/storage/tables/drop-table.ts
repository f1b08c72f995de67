import { UserError } from '../../errors/errors.ts'
import { columnNames } from '../../table-engine/files/snapshot.ts'
import { refuseReferencedColumn } from './aliases/alias-rules.ts'
import type { AliasStore } from './aliases/alias-store.ts'
import type { TableHead } from './table-record.ts'
import { type TableStore, tableIdOf } from './table-store.ts'

interface DropTableOptions {
  force: boolean
  tables: TableStore
  aliases: AliasStore
}

/**
 * Deletes a table or an alias, with `force` also all aliases that show it. Idempotent. Resolves to the ids of those.
 *
 * Aliases go before what they show, so a drop that dies half-way is completed by the next one. One that is created
 * meanwhile either finds its source gone and withdraws, or is found afterwards.
 *
 * Error: 400 `tables.cannotDeletedTableWithAliases`.
 */
export const dropTable = async (
  table: TableHead,
  { force, tables, aliases }: DropTableOptions,
): Promise<string[]> => {
  const dropAliases = async (): Promise<string[]> => {
    const tree = await aliases.treeOf(table)
    for (const alias of tree.toReversed()) await aliases.delete(alias)
    return tree.map(tableIdOf)
  }
  await refuseAliases(table, force, aliases)
  const dropped = force ? await dropAliases() : []
  if (table.alias) await aliases.delete(table.alias.record)
  else await tables.delete(table)
  return [...dropped, ...(await dropAliases())]
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
