import { onBucket } from '../auth/access.ts'
import { S3Error } from '../errors.ts'
import { readText } from '../http/read-text.ts'
import { xmlReply } from '../http/reply.ts'
import { bucketOf, type S3Request } from '../http/s3-request.ts'
import type { Operation, S3Context } from '../operation.ts'
import type { StoredVersion } from '../storage/stored-object.ts'
import { readTagging } from './object-tagging.ts'

// S3 User Guide, "Using cost allocation tags": of a bucket, where an object has ten.
const mostTags = 50

export const getBucketTagging: Operation = {
  name: 'GetBucketTagging',
  access: onBucket('s3:GetBucketTagging'),
  run: (request, { store }) => {
    const { name } = store.buckets.get(bucketOf(request))
    const tags = store.buckets.setting(name, 'tags')
    if (tags === undefined) throw new S3Error('NoSuchTagSet', undefined, { BucketName: name })
    return xmlReply('Tagging', { TagSet: { Tag: tags.map(([Key, Value]) => ({ Key, Value })) } })
  },
}

const setTags = async (
  request: S3Request,
  { store }: S3Context,
  tags: StoredVersion['description']['tags'] | undefined,
): Promise<{ status: number }> => {
  const { name } = store.buckets.get(bucketOf(request))
  await store.commit([], () => store.buckets.set(name, 'tags', tags))
  return { status: 204 }
}

export const putBucketTagging: Operation = {
  name: 'PutBucketTagging',
  access: onBucket('s3:PutBucketTagging'),
  run: async (request, context) =>
    setTags(request, context, await readTagging(await readText(request), mostTags)),
}

export const deleteBucketTagging: Operation = {
  name: 'DeleteBucketTagging',
  access: onBucket('s3:PutBucketTagging'),
  run: (request, context) => setTags(request, context, undefined),
}
