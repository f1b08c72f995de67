import type { Route } from '../http/route.ts'
import { getBucketOwner, setBucketOwner } from './bucket-owner.ts'
import { createBucket } from './create-bucket.ts'
import { deleteBucket } from './delete-bucket.ts'
import { getBucket } from './get-bucket.ts'
import { listBucketTables } from './list-bucket-tables.ts'
import { listBuckets } from './list-buckets.ts'
import { listSharedBuckets } from './list-shared-buckets.ts'
import { updateBucket } from './update-bucket.ts'

export const bucketsRoutes: readonly Route[] = [
  listBuckets,
  createBucket,
  getBucket,
  updateBucket,
  getBucketOwner,
  setBucketOwner,
  listSharedBuckets,
  deleteBucket,
  listBucketTables,
]
