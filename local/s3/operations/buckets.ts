import { owner, ownersAcl, region } from '../account.ts'
import { accessOf, onBucket } from '../auth/access.ts'
import { receiveText } from '../body/receive-body.ts'
import { S3Error } from '../errors.ts'
import { checkAcl } from '../http/accepted-headers.ts'
import { xmlReply } from '../http/reply.ts'
import type { Operation } from '../operation.ts'

/**
 * There is one account, so an existing bucket belongs to the caller. S3 API Reference, "CreateBucket": in the first region that is no
 * error, for applications of old, and nothing else may be named as its place.
 */
export const createBucket: Operation = {
  access: onBucket('s3:CreateBucket'),
  needsNoBucket: true,
  run: async (request, { store }) => {
    if ((await receiveText(request)) !== '')
      throw new S3Error(
        'InvalidLocationConstraint',
        `Buckets are made in ${region}, without a configuration.`,
      )
    checkAcl(request.headers, { acceptsAcls: true })
    await store.commit([], () => store.buckets.create(request.bucket))
    return { status: 200, headers: { location: `/${request.bucket}` } }
  },
}

export const deleteBucket: Operation = {
  access: onBucket('s3:DeleteBucket'),
  run: async ({ bucket }, { store }) => {
    await store.commit([], () => {
      store.buckets.remove(bucket)
      // Uploads that are open do not keep a bucket; they go with it.
      for (const { id, holder } of store.uploads.ofBucket(bucket)) {
        store.parts.remove(holder)
        store.uploads.remove(id)
      }
    })
    return { status: 204 }
  },
}

export const headBucket: Operation = {
  access: onBucket('s3:ListBucket'),
  run: () => ({ status: 200, headers: { 'x-amz-bucket-region': region } }),
}

export const listBuckets: Operation = {
  access: request => [accessOf(request, 's3:ListAllMyBuckets', '*')],
  needsNoBucket: true,
  run: (_, { store }) =>
    xmlReply('ListAllMyBucketsResult', {
      Owner: owner,
      Buckets: {
        Bucket: store.buckets.list().map(({ name, created }) => ({
          Name: name,
          CreationDate: new Date(created).toISOString(),
          BucketRegion: region,
        })),
      },
    }),
}

export const getBucketAcl: Operation = {
  access: onBucket('s3:GetBucketAcl'),
  run: () => xmlReply('AccessControlPolicy', ownersAcl),
}

/** S3 API Reference, GetBucketLocation: buckets in us-east-1 have no location constraint. */
export const getBucketLocation: Operation = {
  access: onBucket('s3:GetBucketLocation'),
  run: () => xmlReply('LocationConstraint', {}),
}

export const getBucketVersioning: Operation = {
  access: onBucket('s3:GetBucketVersioning'),
  run: ({ bucket }, { store }) =>
    xmlReply('VersioningConfiguration', { Status: store.buckets.get(bucket).versioning || undefined }),
}
