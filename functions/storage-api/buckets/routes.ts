import type { Route } from '../http/route.ts'
import { getBucketOwner, setBucketOwner } from './bucket-owner.ts'
import { deleteBucket, updateBucket } from './change-bucket.ts'
import { createBucket } from './create-bucket.ts'
import { getBucket, listBuckets, listBucketTables, listSharedBuckets } from './read-buckets.ts'

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
