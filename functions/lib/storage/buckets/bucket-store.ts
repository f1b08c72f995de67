import { z } from 'zod'
import { type ItemView, type ItemWrite, startingWith } from '../../items/item-table.ts'
import { isBucketId } from '../../wire/storage-ids.ts'
import { bucketKey, bucketsPartition } from './bucket-key.ts'

export const bucketRecord = z.object({
  /** `in.c-main`. */
  id: z.string(),
  stage: z.enum(['in', 'out']),
  /** `c-main`. */
  name: z.string(),
  displayName: z.string(),
  description: z.string(),
  color: z.string().nullable(),
  /** The admin of the project who answers for it. */
  owner: z.object({ id: z.number(), name: z.string(), email: z.string() }).optional(),
  created: z.string(),
  updated: z.string(),
  /** ISO 8601. A delete is running until then at the latest, and no table may be added. */
  deletingUntil: z.string().nullable(),
  /** The branch that it is of. Absent: the default branch. */
  branchId: z.number().optional(),
  /** Of a branch's copy of a bucket: sets its metadata apart. */
  copyId: z.number().optional(),
  revision: z.number(),
})

export type BucketRecord = z.infer<typeof bucketRecord>

export const createBucketStore = (items: ItemView) => ({
  async get(id: string): Promise<BucketRecord | undefined> {
    // Something that is no bucket id cannot have been stored.
    if (!isBucketId(id)) return undefined
    const item = await items.get(bucketKey(id))
    return item && bucketRecord.parse(item)
  },

  /** Resolves to false when the bucket exists. */
  insert: (bucket: BucketRecord): Promise<boolean> =>
    items.put(bucketKey(bucket.id), { ...bucket }, 'absent'),

  /** Replaces the bucket that was read. Resolves to false when it has changed since. */
  replace: (bucket: BucketRecord): Promise<boolean> =>
    items.put(
      bucketKey(bucket.id),
      { ...bucket, revision: bucket.revision + 1 },
      { revision: bucket.revision },
    ),

  /** That the bucket is as it was read, for the transaction that adds to it. */
  unchanged: ({ id, revision }: BucketRecord): Promise<ItemWrite> =>
    items.checking(bucketKey(id), { revision }),

  delete: (bucket: BucketRecord): Promise<boolean> =>
    items.delete(bucketKey(bucket.id), { revision: bucket.revision }),

  /** By id. */
  list: (): Promise<BucketRecord[]> =>
    Array.fromAsync(items.query(bucketsPartition, startingWith('')), item => bucketRecord.parse(item)),
})

export type BucketStore = ReturnType<typeof createBucketStore>

export const isBeingDeleted = (bucket: BucketRecord, now: Date): boolean =>
  bucket.deletingUntil !== null && bucket.deletingUntil > now.toISOString()
