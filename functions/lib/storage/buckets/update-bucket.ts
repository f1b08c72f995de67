import { TransientError, UserError } from '../../errors/errors.ts'
import { OVERTAKEN, untilWritten } from '../db/until-written.ts'
import type { BucketRecord, BucketStore } from './bucket-store.ts'

interface BucketChange {
  displayName?: string | undefined
  color?: string | undefined
  owner?: BucketRecord['owner']
}

/**
 * Changes a bucket's settings. A new display name is no update in the sense of `updated`: clients expect so. Unchanged values write nothing. Resolves to the bucket, or `undefined` if it is gone.
 * Error: 400 `storage.buckets.alreadyExists` when another bucket of the stage has that display name.
 */
export const updateBucket = (
  bucketId: string,
  { displayName, color, owner }: BucketChange,
  { buckets, now }: { buckets: BucketStore; now: () => Date },
): Promise<BucketRecord | undefined> => {
  return untilWritten(
    () => bucketBusy(bucketId),
    async () => {
      const bucket = await buckets.get(bucketId)
      if (!bucket) return undefined
      const changed = {
        ...bucket,
        displayName: displayName ?? bucket.displayName,
        color: color ?? bucket.color,
        ...(owner && { owner }),
      }
      const isOwnersChange = changed.owner?.id !== bucket.owner?.id
      const isRecolored = changed.color !== bucket.color
      if (changed.displayName === bucket.displayName && !isRecolored && !isOwnersChange) return bucket
      if (changed.displayName !== bucket.displayName) await refuseTaken(changed, buckets)
      const updated = { ...changed, ...((isRecolored || isOwnersChange) && { updated: now().toISOString() }) }
      return (await buckets.replace(updated)) ? updated : OVERTAKEN
    },
  )
}

export const bucketBusy = (bucketId: string): TransientError =>
  new TransientError('storage.buckets.busy', `The bucket "${bucketId}" is being changed by another request.`)

/** Error: 400 `storage.buckets.alreadyExists` when another bucket of the stage has that display name. */
export const refuseTaken = async (
  { id, stage, displayName }: Pick<BucketRecord, 'id' | 'stage' | 'displayName'>,
  buckets: BucketStore,
): Promise<void> => {
  const isTaken = (await buckets.list()).some(
    other => other.id !== id && other.stage === stage && other.displayName === displayName,
  )
  if (isTaken)
    throw new UserError(
      'storage.buckets.alreadyExists',
      `The display name "${displayName}" already exists in project.`,
    )
}
