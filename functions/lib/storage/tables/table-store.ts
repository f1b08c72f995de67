import { objectKeys } from '../../table-engine/snapshot.ts'
import { type Item, type ItemTable, startingWith } from '../db/item-table.ts'
import type { SnapshotFiles } from '../snapshots/snapshot-files.ts'
import { parseTableId } from '../storage-ids.ts'
import { type TableRecord, tableRecord } from './table-record.ts'

export const tableIdOf = (table: Pick<TableRecord, 'bucketId' | 'name'>): string =>
  `${table.bucketId}.${table.name}`

const keyOf = ({ bucketId, name }: Pick<TableRecord, 'bucketId' | 'name'>) => ({
  pk: `BUCKET#${bucketId}`,
  sk: `TABLE#${name}`,
})

/**
 * Heads of tables, by bucket and name. A head is replaced on condition that it has not changed since it was read. So of
 * two writers one wins, and a reader always sees a complete snapshot.
 */
export const createTableStore = (items: ItemTable, snapshotFiles: SnapshotFiles) => {
  const load = async (item: Item): Promise<TableRecord> =>
    tableRecord.parse(await snapshotFiles.restore(item))

  return {
    async get(tableId: string): Promise<TableRecord | undefined> {
      const parts = parseTableId(tableId)
      if (!parts) return undefined
      const item = await items.get(keyOf(parts))
      return item && load(item)
    },

    /** Resolves to false when the table exists. */
    insert: async (table: TableRecord): Promise<boolean> =>
      items.put(keyOf(table), await snapshotFiles.offload(table), 'absent'),

    /**
     * Replaces the head that was read. Resolves to false when it has changed, or belongs to a new table of that name.
     */
    replace: async (table: TableRecord): Promise<boolean> =>
      items.put(keyOf(table), await snapshotFiles.offload({ ...table, revision: table.revision + 1 }), {
        internalId: table.internalId,
        revision: table.revision,
      }),

    /** Deletes this very table, whatever its current head. Resolves to false when it is gone. */
    delete: (table: TableRecord): Promise<boolean> =>
      items.delete(keyOf(table), { internalId: table.internalId }),

    /** By name. Very long file lists are left out: a list does not need them. */
    async listInBucket(bucketId: string): Promise<TableRecord[]> {
      const tables: TableRecord[] = []
      for await (const item of items.query(`BUCKET#${bucketId}`, startingWith('TABLE#')))
        tables.push(tableRecord.parse(item))
      return tables
    },

    /** The keys of all objects that the tables of a bucket consist of. */
    async *namedKeys(bucketId: string): AsyncGenerator<string> {
      for await (const item of items.query(`BUCKET#${bucketId}`, startingWith('TABLE#'))) {
        if (typeof item['filesKey'] === 'string') yield item['filesKey']
        const { snapshot } = await load(item)
        yield* objectKeys(snapshot)
      }
    },
  }
}

export type TableStore = ReturnType<typeof createTableStore>
