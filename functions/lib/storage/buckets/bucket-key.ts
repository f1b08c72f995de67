import type { Condition, ItemWrite } from '../../items/item-table.ts'

/** Where the items of buckets and of what is in them lie. */
export const bucketsPartition = 'BUCKETS'
const OF_BUCKET = 'BUCKET#'

export const bucketKey = (bucketId: string) => ({ pk: bucketsPartition, sk: bucketId })

/** Of the default branch, for a transaction. */
export const checkingBucket = (bucketId: string, when: Condition): ItemWrite => ({
  action: 'check',
  key: bucketKey(bucketId),
  when,
})

export const bucketNamePrefix = '#'

/** Of the item that keeps the display name of a bucket from others of its stage. */
export const bucketNameKey = ({ stage, displayName }: { stage: string; displayName: string }) => ({
  pk: bucketsPartition,
  sk: `${bucketNamePrefix}${stage}#${displayName}`,
})

/** The partition of the tables of a bucket. */
export const partitionOfBucket = (bucketId: string): string => `${OF_BUCKET}${bucketId}`

/** What the sort keys of tables and aliases begin with in that partition. */
export const tablePrefix = 'TABLE#'

/** The bucket whose tables a partition holds; `undefined` for any other partition. */
export const bucketOfPartition = (pk: string): string | undefined =>
  pk.startsWith(OF_BUCKET) ? pk.slice(OF_BUCKET.length) : undefined
