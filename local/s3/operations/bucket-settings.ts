import { onBucket } from '../auth/access.ts'
import { S3Error, type S3ErrorCode } from '../errors.ts'
import { xmlReply } from '../http/reply.ts'
import { bucketOf } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import type { XmlNode } from '../xml/build-xml.ts'
import { owner } from './buckets.ts'

/** An operation that reads a setting which no bucket here can change: the answer is that of a new bucket of S3. */
const fixedSetting = (
  name: string,
  action: string,
  answer: { root: string; content: XmlNode } | S3ErrorCode,
): Operation => ({
  name,
  access: onBucket(action),
  run: (request, { store }) => {
    const bucket = bucketOf(request)
    store.buckets.get(bucket)
    if (typeof answer === 'string') throw new S3Error(answer, undefined, { BucketName: bucket })
    return xmlReply(answer.root, answer.content)
  },
})

/** Everything belongs to the one account, which has all rights; policies of roles say who else does. */
export const ownersAcl: { root: string; content: XmlNode } = {
  root: 'AccessControlPolicy',
  content: {
    Owner: owner,
    AccessControlList: {
      Grant: {
        Grantee: {
          '@xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
          '@xsi:type': 'CanonicalUser',
          ...owner,
        },
        Permission: 'FULL_CONTROL',
      },
    },
  },
}

const getBucketOwnership: Operation = {
  name: 'GetBucketOwnershipControls',
  access: onBucket('s3:GetBucketOwnershipControls'),
  run: (request, { store }) => {
    const { name } = store.buckets.get(bucketOf(request))
    return xmlReply('OwnershipControls', { Rule: { ObjectOwnership: store.buckets.ownership(name) } })
  },
}

/** By the query argument that selects them: what s3cmd asks of a bucket. */
export const bucketSettings: Readonly<Record<string, Operation>> = {
  acl: fixedSetting('GetBucketAcl', 's3:GetBucketAcl', ownersAcl),
  policy: fixedSetting('GetBucketPolicy', 's3:GetBucketPolicy', 'NoSuchBucketPolicy'),
  lifecycle: fixedSetting(
    'GetBucketLifecycleConfiguration',
    's3:GetLifecycleConfiguration',
    'NoSuchLifecycleConfiguration',
  ),
  ownershipControls: getBucketOwnership,
  publicAccessBlock: fixedSetting('GetPublicAccessBlock', 's3:GetBucketPublicAccessBlock', {
    root: 'PublicAccessBlockConfiguration',
    content: {
      BlockPublicAcls: true,
      IgnorePublicAcls: true,
      BlockPublicPolicy: true,
      RestrictPublicBuckets: true,
    },
  }),
  requestPayment: fixedSetting('GetBucketRequestPayment', 's3:GetBucketRequestPayment', {
    root: 'RequestPaymentConfiguration',
    content: { Payer: 'BucketOwner' },
  }),
}
