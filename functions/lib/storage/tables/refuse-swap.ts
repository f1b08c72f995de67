import { columnNames } from '../../table-engine/files/snapshot.ts'
import { refuseReferencedColumn } from './aliases/alias-rules.ts'
import type { AliasStore } from './aliases/alias-store.ts'
import type { TableHead } from './table-record.ts'

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
