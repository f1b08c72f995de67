import { z } from '@hono/zod-openapi'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { findBucket } from '../buckets/find-bucket.ts'
import { created, noContent, ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { metadataOf, metadatumBody } from './metadata-resource.ts'
import { metadataFields, metadataNotFound, readMetadata, readProvider } from './read-metadata.ts'
import { storeMetadata } from './store-metadata.ts'

const path = '/v2/storage/buckets/{bucketId}/metadata'
const shared = { tag: 'metadata', reply: z.array(metadatumBody) }

export const listBucketMetadata = defineRoute({
  ...shared,
  method: 'get',
  path,
  summary: 'List the metadata of a bucket',
  replies: { 200: 'The metadata', 404: 'There is no such bucket' },
  handle: async ({ params }, services) => {
    const bucket = await findBucket(services, params.bucketId)
    return ok(await metadataOf(services, metadataSubject.bucket(bucket)))
  },
})

export const setBucketMetadata = defineRoute({
  ...shared,
  method: 'post',
  path,
  summary: 'Set metadata of a bucket',
  body: z.object(metadataFields),
  replies: { 201: 'All metadata of the bucket', 400: '`storage.metadata.…`', 404: 'There is no such bucket' },
  handle: async ({ params, body }, services) => {
    const subject = metadataSubject.bucket(await findBucket(services, params.bucketId))
    const given = readMetadata(body.metadata, { provider: readProvider(body.provider) })
    await storeMetadata(services, subject, given)
    return created(await metadataOf(services, subject))
  },
})

export const deleteBucketMetadata = defineRoute({
  tag: 'metadata',
  method: 'delete',
  path: '/v2/storage/buckets/{bucketId}/metadata/{metadataId}',
  summary: 'Delete a metadatum of a bucket',
  replies: { 204: 'Deleted', 404: 'There is no such bucket or metadatum' },
  handle: async ({ params }, services) => {
    const subject = metadataSubject.bucket(await findBucket(services, params.bucketId))
    if (!(await services.metadata.delete(subject, params.metadataId)))
      throw metadataNotFound(params.metadataId)
    return noContent()
  },
})
