import { z } from 'zod'
import { type ItemTable, startingWith } from '../db/item-table.ts'
import { isBucketId } from '../storage-ids.ts'

const bucketRecord = z.object({
  /** `in.c-main`. */
  id: z.string(),
  stage: z.enum(['in', 'out']),
  /** `c-main`. */
  name: z.string(),
  displayName: z.string(),
  description: z.string(),
  color: z.string().nullable(),
  created: z.string(),
  updated: z.string(),
  /** ISO 8601. A delete is running until then at the latest, and no table may be added. */
  deletingUntil: z.string().nullable(),
  revision: z.number(),
})

export type BucketRecord = z.infer<typeof bucketRecord>

const PARTITION = 'BUCKETS'

export const createBucketStore = (items: ItemTable) => ({
  async get(id: string): Promise<BucketRecord | undefined> {
    // Something that is no bucket id cannot have been stored.
    if (!isBucketId(id)) return undefined
    const item = await items.get({ pk: PARTITION, sk: id })
    return item && bucketRecord.parse(item)
  },

  /** Resolves to false when the bucket exists. */
  insert: (bucket: BucketRecord): Promise<boolean> =>
    items.put({ pk: PARTITION, sk: bucket.id }, { ...bucket }, 'absent'),

  /** Replaces the bucket that was read. Resolves to false when it has changed since. */
  replace: (bucket: BucketRecord): Promise<boolean> =>
    items.put(
      { pk: PARTITION, sk: bucket.id },
      { ...bucket, revision: bucket.revision + 1 },
      { revision: bucket.revision },
    ),

  delete: (bucket: BucketRecord): Promise<boolean> =>
    items.delete({ pk: PARTITION, sk: bucket.id }, { revision: bucket.revision }),

  /** By id. */
  async list(): Promise<BucketRecord[]> {
    const buckets: BucketRecord[] = []
    for await (const item of items.query(PARTITION, startingWith(''))) buckets.push(bucketRecord.parse(item))
    return buckets
  },
})

export type BucketStore = ReturnType<typeof createBucketStore>

export const isBeingDeleted = (bucket: BucketRecord, now: Date): boolean =>
  bucket.deletingUntil !== null && bucket.deletingUntil > now.toISOString()
