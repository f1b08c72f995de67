import { type Decision, type ItemView, startingWith, together } from '#lib/items/item-table.ts'
import type { TableHead } from '../table-record.ts'
import { type TableStore, tableIdOf } from '../table-store.ts'
import { type AliasRecord, idsOf } from './alias-record.ts'

/**
 * Aliases, and which table has which. A note under the source names each alias, from its beginning to its end.
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
    inserting: (alias: AliasRecord): Promise<Decision> =>
      together(
        items.writing(noteOf(alias), { tableId: tableIdOf(alias) }, 'absent'),
        tables.insertingAlias(alias),
      ),

    /** Of this very alias, if it is as it was read. A branch's copy of one has no note. */
    async deleting(alias: AliasRecord): Promise<Decision> {
      const note = await items.get(noteOf(alias))
      return together(tables.deleting(alias), note ? items.writing(noteOf(alias), undefined, {}) : [])
    },
  }
}

export type AliasStore = ReturnType<typeof createAliasStore>
