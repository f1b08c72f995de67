import { UserError } from '../../lib/errors/errors.ts'
import type { BucketRecord } from '../../lib/storage/buckets/bucket-store.ts'
import type { Services } from '../services/services.ts'

/** As `findBucket`, for a caller who is about to change the bucket's metadata: it becomes the branch's own. */
export const findBucketToChange = async (services: Services, bucketId: string): Promise<BucketRecord> => {
  await services.own.bucket(bucketId)
  return findBucket(services, bucketId)
}

/** The bucket of a path, or 404 `storage.buckets.notFound`. */
export const findBucket = async (
  { buckets, projectId }: Services,
  bucketId: string,
): Promise<BucketRecord> => {
  const bucket = await buckets.get(bucketId)
  if (!bucket)
    throw new UserError(
      'storage.buckets.notFound',
      `The bucket "${bucketId.slice(0, 250)}" was not found in the project "${projectId}"`,
    )
  return bucket
}
