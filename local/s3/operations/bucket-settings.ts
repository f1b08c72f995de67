import { onBucket } from '../auth/access.ts'
import { S3Error } from '../errors.ts'
import { localAccountId } from '../events/object-created.ts'
import { type Reply, xmlReply } from '../http/reply.ts'
import type { Operation, S3Context } from '../operation.ts'

/** The owner of everything here. */
export const owner = { ID: localAccountId, DisplayName: 'local' }

/** Everything belongs to the one account, which has all rights; policies of roles say who else does. */
export const ownersAcl = {
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
}

const setting = (action: string, read: (bucket: string, context: S3Context) => Reply): Operation => ({
  access: onBucket(`s3:Get${action}`),
  run: ({ bucket }, context) => read(bucket, context),
})

const notThere = (code: 'NoSuchBucketPolicy' | 'NoSuchLifecycleConfiguration') => (BucketName: string) => {
  throw new S3Error(code, undefined, { BucketName })
}

/**
 * What tools ask of a bucket, s3cmd most of all. Versions and ACLs are as the bucket was made; the rest nobody can change,
 * so the answer is that of a new bucket of S3.
 */
export const bucketSettings: Readonly<Record<string, Operation>> = {
  'GET bucket ?location': setting('BucketLocation', (_, { region }) =>
    // S3 API Reference, GetBucketLocation: buckets in us-east-1 have no location constraint.
    xmlReply('LocationConstraint', { '#text': region === 'us-east-1' ? '' : region }),
  ),
  'GET bucket ?versioning': setting('BucketVersioning', (bucket, { store }) =>
    xmlReply('VersioningConfiguration', { Status: store.buckets.get(bucket).versioning || undefined }),
  ),
  'GET bucket ?ownershipControls': setting('BucketOwnershipControls', (bucket, { acceptsAcls }) => {
    const ObjectOwnership = acceptsAcls(bucket) ? 'BucketOwnerPreferred' : 'BucketOwnerEnforced'
    return xmlReply('OwnershipControls', { Rule: { ObjectOwnership } })
  }),
  'GET bucket ?acl': setting('BucketAcl', () => xmlReply('AccessControlPolicy', ownersAcl)),
  'GET bucket ?policy': setting('BucketPolicy', notThere('NoSuchBucketPolicy')),
  'GET bucket ?lifecycle': setting('LifecycleConfiguration', notThere('NoSuchLifecycleConfiguration')),
  'GET bucket ?publicAccessBlock': setting('BucketPublicAccessBlock', () =>
    xmlReply('PublicAccessBlockConfiguration', {
      BlockPublicAcls: true,
      IgnorePublicAcls: true,
      BlockPublicPolicy: true,
      RestrictPublicBuckets: true,
    }),
  ),
  'GET bucket ?requestPayment': setting('BucketRequestPayment', () =>
    xmlReply('RequestPaymentConfiguration', { Payer: 'BucketOwner' }),
  ),
}
