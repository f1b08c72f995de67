import { partitionOfBucket, tablePrefix } from '../buckets/bucket-key.ts'
import { type ItemView, startingWith } from '../db/item-table.ts'
import { isAliasItem } from './aliases/alias-record.ts'
import { type TableHead, tableRecord } from './table-record.ts'

/** Lists of one bucket that read no sources of aliases, and mostly no whole heads. */
export const createTableLists = (items: ItemView) => ({
  /** Heads of the tables that hold rows, by name, from after this one on. Aliases cost nothing. */
  async *headsInBucket(bucketId: string, after = ''): AsyncGenerator<TableHead> {
    const range = { ...startingWith(tablePrefix), from: `${tablePrefix}${after}` }
    for await (const item of items.query(partitionOfBucket(bucketId), range))
      if (!isAliasItem(item) && item['name'] !== after) yield tableRecord.parse(item)
  },

  /** Names in the Glue Data Catalog. Reads nothing else of the heads. */
  async *glueNamesInBucket(bucketId: string): AsyncGenerator<string> {
    const range = { ...startingWith(tablePrefix), attributes: ['glueName'] }
    for await (const { glueName } of items.query(partitionOfBucket(bucketId), range))
      if (typeof glueName === 'string') yield glueName
  },

  /** Of the tables and aliases themselves, also of those whose source is gone. Reads nothing else of the heads. */
  internalIdsInBucket(bucketId: string): Promise<number[]> {
    const range = { ...startingWith(tablePrefix), attributes: ['internalId'] }
    return Array.fromAsync(items.query(partitionOfBucket(bucketId), range), item =>
      tableRecord.shape.internalId.parse(item['internalId']),
    )
  },

  /** Sorted. Reads nothing else of the heads: also the aliases whose source is gone. */
  namesInBucket(bucketId: string): Promise<{ name: string; isAlias: boolean }[]> {
    const range = { ...startingWith(tablePrefix), attributes: ['name', 'kind'] }
    return Array.fromAsync(items.query(partitionOfBucket(bucketId), range), item => ({
      name: tableRecord.shape.name.parse(item['name']),
      isAlias: isAliasItem(item),
    }))
  },
})
