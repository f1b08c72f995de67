import { onBucket } from '../auth/access.ts'
import { type Reply, xmlReply } from '../http/reply.ts'
import { bucketOf } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'

export const getBucketLocation: Operation = {
  name: 'GetBucketLocation',
  access: onBucket('s3:GetBucketLocation'),
  run: (request, { store, region }): Reply => {
    store.buckets.get(bucketOf(request))
    // S3 API Reference, GetBucketLocation: buckets in us-east-1 have no location constraint.
    return xmlReply('LocationConstraint', { '#text': region === 'us-east-1' ? '' : region })
  },
}
