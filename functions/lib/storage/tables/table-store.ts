import { objectKeys } from '../../table-engine/snapshot.ts'
import { partitionOfBucket } from '../buckets/bucket-key.ts'
import { type Item, type ItemView, startingWith } from '../db/item-table.ts'
import type { SnapshotFiles } from '../snapshots/snapshot-files.ts'
import { parseTableId } from '../storage-ids.ts'
import type { ContentThen, TableContents } from './content/table-contents.ts'
import { type TableHead, type TableRecord, tableRecord } from './table-record.ts'

export const tableIdOf = (table: Pick<TableRecord, 'bucketId' | 'name'>): string =>
  `${table.bucketId}.${table.name}`

export const tableKey = ({ bucketId, name }: Pick<TableRecord, 'bucketId' | 'name'>) => ({
  pk: partitionOfBucket(bucketId),
  sk: `TABLE#${name}`,
})

/**
 * Heads of tables, by bucket and name. A head names the Iceberg metadata file of its snapshot (docs/tables.md). It is
 * replaced on condition that it has not changed since it was read. So of two writers one wins, and a reader always sees
 * a complete snapshot.
 *
 * Heads of version 0.1 hold the file list themselves, or the key of an object with it. They are read as they are, and
 * get metadata when they are replaced.
 */
export const createTableStore = (items: ItemView, snapshotFiles: SnapshotFiles, contents: TableContents) => {
  const restore = async (item: Item): Promise<TableRecord> => {
    if (item['metadataKey'] === undefined) return tableRecord.parse(await snapshotFiles.restore(item))
    const head = tableRecord.parse(item)
    const files = head.metadataKey === undefined ? [] : await contents.files(head.metadataKey)
    return { ...head, snapshot: { ...head.snapshot, files } }
  }

  /** Writes the content first: a head names what is there. */
  const toItem = async (table: TableRecord): Promise<Item> => {
    const metadataKey = await contents.save(table)
    return { ...table, snapshot: { ...table.snapshot, files: [] }, metadataKey }
  }

  const find = async (tableId: string): Promise<Item | undefined> => {
    const parts = parseTableId(tableId)
    return parts && items.get(tableKey(parts))
  }

  const itemsOf = (bucketId: string) => items.query(partitionOfBucket(bucketId), startingWith('TABLE#'))

  return {
    /** With the files of its snapshot. */
    async get(tableId: string): Promise<TableRecord | undefined> {
      const item = await find(tableId)
      return item && restore(item)
    },

    /** Without the files of its snapshot: one read of the database. */
    async getHead(tableId: string): Promise<TableHead | undefined> {
      const item = await find(tableId)
      return item && tableRecord.parse(item)
    },

    /** Resolves to false when the table exists. */
    insert: async (table: TableRecord): Promise<boolean> =>
      items.put(tableKey(table), await toItem(table), 'absent'),

    /**
     * Replaces the head that was read. Resolves to false when it has changed, or belongs to a new table of that name.
     */
    replace: async (table: TableRecord): Promise<boolean> =>
      items.put(tableKey(table), await toItem({ ...table, revision: table.revision + 1 }), {
        internalId: table.internalId,
        revision: table.revision,
      }),

    /** Gives a table another display name; its content stays. Resolves to false when the head has changed. */
    async rename({ revision, internalId, ...head }: TableHead, displayName: string): Promise<boolean> {
      const item = await items.get(tableKey(head))
      const renamed = { ...item, displayName, revision: revision + 1 }
      return item !== undefined && items.put(tableKey(head), renamed, { internalId, revision })
    },

    /** Deletes this very table, whatever its current head. Resolves to false when it is gone. */
    delete: (table: Pick<TableRecord, 'bucketId' | 'name' | 'internalId'>): Promise<boolean> =>
      items.delete(tableKey(table), { internalId: table.internalId }),

    /** By name. */
    async listInBucket(bucketId: string): Promise<TableHead[]> {
      const tables: TableHead[] = []
      for await (const item of itemsOf(bucketId)) tables.push(tableRecord.parse(item))
      return tables
    },

    /** Sorted. Reads nothing else of the heads. */
    async namesInBucket(bucketId: string): Promise<string[]> {
      const range = { ...startingWith('TABLE#'), attributes: ['name'] }
      const names: string[] = []
      for await (const item of items.query(`BUCKET#${bucketId}`, range))
        names.push(tableRecord.shape.name.parse(item['name']))
      return names
    },

    /**
     * The table as it was at a time. `undefined` when there was none, or when that has expired. Throws `IcebergRefusal` when
     * another writer's snapshot cannot be read.
     */
    contentAt: (table: TableRecord, time: Date): Promise<ContentThen | undefined> => contents.at(table, time),

    /**
     * Lets the old snapshots of the tables of a bucket go. The revision of a head stays: what the table holds does not
     * change. A load that ends meanwhile wins, and the snapshots go with the next call. Resolves to the number of tables.
     */
    async expireSnapshots(bucketId: string, now: Date): Promise<number> {
      let expired = 0
      for await (const item of itemsOf(bucketId)) {
        const head = tableRecord.parse(item)
        if (head.metadataKey === undefined) continue
        const metadataKey = await contents.expire(head.metadataKey, now)
        if (metadataKey === undefined) continue
        const unchanged = {
          revision: head.revision,
          metadataKey: head.metadataKey,
          internalId: head.internalId,
        }
        if (await items.put(tableKey(head), { ...item, metadataKey }, unchanged)) expired++
      }
      return expired
    },

    /** The keys of all objects that the tables of a bucket consist of. */
    async *namedKeys(bucketId: string): AsyncGenerator<string> {
      for await (const item of itemsOf(bucketId)) {
        const { metadataKey } = tableRecord.parse(item)
        if (metadataKey !== undefined) {
          yield* contents.namedKeys(metadataKey)
          continue
        }
        if (typeof item['filesKey'] === 'string') yield item['filesKey']
        const { snapshot } = await restore(item)
        yield* objectKeys(snapshot)
      }
    },
  }
}

export type TableStore = ReturnType<typeof createTableStore>
