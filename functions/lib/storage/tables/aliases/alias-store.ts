import { type Decision, type ItemView, startingWith } from '#lib/items/item-table.ts'
import type { TableHead } from '../table-record.ts'
import { type TableStore, tableIdOf } from '../table-store.ts'
import { type AliasRecord, idsOf } from './alias-record.ts'

/**
 * Aliases, and which table has which. A note under the source names each alias. It is written before the alias and
 * removed after it, so an alias is always noted; a note without an alias is passed over.
 */
export const createAliasStore = (items: ItemView, tables: TableStore) => {
  const noteOf = (alias: AliasRecord) => ({
    pk: `ALIASES#${alias.sourceInternalId}`,
    sk: `${tableIdOf(alias)}#${alias.internalId}`,
  })

  /** The aliases that name this table or alias as their source, also when it is gone. By id. */
  const of = async (table: Pick<TableHead, 'internalId' | 'copyOf'>): Promise<AliasRecord[]> => {
    const found: AliasRecord[] = []
    for (const sourceId of idsOf(table))
      for await (const { tableId } of items.query(`ALIASES#${sourceId}`, startingWith(''))) {
        const alias = await tables.getAlias(String(tableId))
        if (alias?.sourceInternalId === sourceId) found.push(alias)
      }
    return found
  }

  return {
    of,

    /** All aliases that show a table. Those of an alias come after it. */
    async treeOf(table: Pick<TableHead, 'internalId' | 'copyOf'>): Promise<AliasRecord[]> {
      const tree = await of(table)
      // Grows while it is walked.
      for (const alias of tree) tree.push(...(await of(alias)))
      return tree
    },

    /** It is refused, or `undefined`, when there is a table or an alias of that name. */
    async inserting(alias: AliasRecord): Promise<Decision | undefined> {
      await items.put(noteOf(alias), { tableId: tableIdOf(alias) })
      return tables.insertingAlias(alias)
    },

    /** Deletes this very alias. Resolves to false when it is gone. */
    async delete(alias: AliasRecord): Promise<boolean> {
      const isDeleted = await tables.delete(alias)
      await items.delete(noteOf(alias))
      return isDeleted
    },
  }
}

export type AliasStore = ReturnType<typeof createAliasStore>
