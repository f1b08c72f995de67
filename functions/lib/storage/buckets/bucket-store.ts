import { z } from 'zod'
import { UserError } from '../../errors/errors.ts'
import {
  type Decision,
  type ItemView,
  type ItemWrite,
  startingWith,
  together,
} from '../../items/item-table.ts'
import { isBucketId } from '../../wire/storage-ids.ts'
import { bucketKey, bucketNameKey, bucketNamePrefix, bucketsPartition } from './bucket-key.ts'

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
  /** The branch that it is of. Absent: the default branch. */
  branchId: z.number().optional(),
  /** Never given twice: a new bucket of its name has another one, and so has a branch's copy. Its metadata lie under it. */
  incarnation: z.number(),
  revision: z.number(),
})

export type BucketRecord = z.infer<typeof bucketRecord>

/** The bucket, or 404 `storage.buckets.notFound`. */
export const requireBucket = async (
  bucketId: string,
  { buckets, projectId }: { buckets: Pick<BucketStore, 'get'>; projectId: number },
): Promise<BucketRecord> => {
  const bucket = await buckets.get(bucketId)
  if (bucket) return bucket
  throw new UserError(
    'storage.buckets.notFound',
    `The bucket "${bucketId.slice(0, 250)}" was not found in the project "${projectId}"`,
  )
}

export const createBucketStore = (items: ItemView) => ({
  async get(id: string): Promise<BucketRecord | undefined> {
    // Something that is no bucket id cannot have been stored.
    if (!isBucketId(id)) return undefined
    const item = await items.get(bucketKey(id))
    return item && bucketRecord.parse(item)
  },

  decide: items.decide,

  /** Refused when there is a bucket of its id or display name. */
  inserting: (bucket: BucketRecord): Promise<Decision> =>
    together(
      items.writing(bucketKey(bucket.id), { ...bucket }, 'absent'),
      items.writing(bucketNameKey(bucket), nameOf(bucket), 'absent'),
    ),

  /** In place of the bucket that was read. Refused when it has changed since, or another one has its new display name. */
  replacing: (before: BucketRecord, bucket: BucketRecord): Promise<Decision> => {
    const { id, revision } = before
    const isRenamed = before.displayName !== bucket.displayName
    return together(
      items.writing(bucketKey(id), { ...bucket, revision: revision + 1 }, { revision }),
      ...(isRenamed
        ? [
            items.writing(bucketNameKey(before), undefined, { id }),
            items.writing(bucketNameKey(bucket), nameOf(bucket), 'absent'),
          ]
        : []),
    )
  },

  /** That it is there, for the transaction that adds to it. */
  touching: (id: string): Promise<ItemWrite> => items.touching(bucketKey(id), { id }),

  deleting: (bucket: BucketRecord): Promise<Decision> => {
    const { id, revision } = bucket
    return together(
      items.writing(bucketKey(id), undefined, { revision }),
      items.writing(bucketNameKey(bucket), undefined, { id }),
    )
  },

  /** By id. */
  list: (): Promise<BucketRecord[]> =>
    Array.fromAsync(items.query(bucketsPartition, ids), item => bucketRecord.parse(item)),

  /** The id of the bucket of a stage that has this display name. */
  async named(place: Pick<BucketRecord, 'stage' | 'displayName'>): Promise<string | undefined> {
    const item = await items.get(bucketNameKey(place))
    return item && namedBucket.parse(item).id
  },

  /** The ids and display names of all, by id. Reads nothing else of them. */
  async names(): Promise<NamedBucket[]> {
    const names = items.query(bucketsPartition, startingWith(bucketNamePrefix))
    const found = await Array.fromAsync(names, item => namedBucket.parse(item))
    return found.toSorted((one, other) => (one.id < other.id ? -1 : 1))
  },
})

/** Those of names come before. */
const ids = { from: 'in.', to: startingWith('out.').to }

const namedBucket = bucketRecord.pick({ id: true, displayName: true })
type NamedBucket = z.infer<typeof namedBucket>
const nameOf = ({ id, displayName }: BucketRecord): NamedBucket => ({ id, displayName })

export type BucketStore = ReturnType<typeof createBucketStore>
