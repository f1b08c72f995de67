import { TransientError, UserError } from '../errors/errors.ts'
import { type Decision, together } from '../items/item-table.ts'
import type { BucketRecord, BucketStore } from './buckets/bucket-store.ts'
import { OVERTAKEN, untilWritten } from './db/until-written.ts'
import type { StorageStores } from './storage-stores.ts'
import { dropNow } from './tables/drop-table.ts'

interface BucketChange {
  displayName?: string | undefined
  color?: string | null | undefined
  owner?: BucketRecord['owner']
  /** Metadata of it were set. */
  isDescribed?: boolean
}

/**
 * Changes a bucket's settings. A new display name is no update in the sense of `updated`: clients expect so. Unchanged values write nothing. Resolves to the bucket, or `undefined` if it is gone.
 * Error: 400 `storage.buckets.alreadyExists` when another bucket of the stage has that display name.
 */
export const updateBucket = (
  bucketId: string,
  { displayName, color, owner, isDescribed = false }: BucketChange,
  { buckets, now }: { buckets: BucketStore; now: () => Date },
  tellingOf: (changed: BucketRecord) => Decision = () => [],
): Promise<BucketRecord | undefined> => {
  return untilWritten(
    () => bucketBusy(bucketId),
    async () => {
      const bucket = await buckets.get(bucketId)
      if (!bucket) return undefined
      const changed = {
        ...bucket,
        displayName: displayName ?? bucket.displayName,
        color: color === undefined ? bucket.color : color,
        ...(owner && { owner }),
      }
      const isUpdate = isDescribed || changed.owner?.id !== bucket.owner?.id || changed.color !== bucket.color
      if (changed.displayName === bucket.displayName && !isUpdate) return bucket
      if (changed.displayName !== bucket.displayName) await refuseTaken(changed, buckets)
      const updated = { ...changed, ...(isUpdate && { updated: now().toISOString() }) }
      const told = await together(buckets.replacing(bucket, updated), tellingOf(updated))
      return (await buckets.decide(told)) ? updated : OVERTAKEN
    },
  )
}

const bucketBusy = (bucketId: string): TransientError =>
  new TransientError('storage.buckets.busy', `The bucket "${bucketId}" is being changed by another request.`)

/** Error: 400 `storage.buckets.alreadyExists` when another bucket of the stage has that display name. */
export const refuseTaken = async (
  { id, stage, displayName }: Pick<BucketRecord, 'id' | 'stage' | 'displayName'>,
  buckets: Pick<BucketStore, 'named'>,
): Promise<void> => {
  const named = await buckets.named({ stage, displayName })
  if (named !== undefined && named !== id)
    throw new UserError(
      'storage.buckets.alreadyExists',
      `The display name "${displayName}" already exists in project.`,
    )
}

interface DeleteBucketOptions extends Pick<StorageStores, 'buckets' | 'tables' | 'aliases'> {
  force: boolean
  /** What tells that an alias went. */
  telling: (tableId: string) => Decision
}

/**
 * Deletes a bucket, with `force` also its tables, and the aliases of those in other buckets: `dropped` are the ids of these.
 *
 * Whoever adds a table changes the revision of the bucket: then it is looked for again.
 *
 * Error: 400 `buckets.deleteNotEmpty`.
 */
export const deletingBucket = (bucketId: string, options: DeleteBucketOptions) => {
  const { force, buckets, tables } = options
  const isOfIt = (id: string): boolean => id.startsWith(`${bucketId}.`)
  const telling = (id: string): Decision => (isOfIt(id) ? [] : options.telling(id))
  const dropped: string[] = []
  return {
    dropped,
    decide: async (): Promise<Decision> => {
      const bucket = await buckets.get(bucketId)
      if (!bucket) return []
      const { length } = force ? [] : await tables.listNames(bucketId)
      if (length > 0)
        throw new UserError(
          'buckets.deleteNotEmpty',
          `Only empty buckets can be deleted. There are ${length} tables in the bucket.`,
        )
      for (const table of force ? await tables.listInBucket(bucketId) : []) {
        const aliases = await dropNow(table, { ...options, telling })
        dropped.push(...aliases.filter(id => !isOfIt(id)))
      }
      return buckets.deleting(bucket)
    },
  }
}

/** The same at once. */
export const deleteBucketNow = (bucketId: string, options: DeleteBucketOptions): Promise<boolean> => {
  const { decide } = deletingBucket(bucketId, options)
  return untilWritten(
    () => bucketBusy(bucketId),
    async () => (await options.buckets.decide(await decide())) || OVERTAKEN,
  )
}
