import { onBucket } from '../auth/access.ts'
import { bucketOf } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'

export const headBucket: Operation = {
  name: 'HeadBucket',
  access: onBucket('s3:ListBucket'),
  run: (request, { store, region }) => {
    store.buckets.get(bucketOf(request))
    return { status: 200, headers: { 'x-amz-bucket-region': region } }
  },
}
