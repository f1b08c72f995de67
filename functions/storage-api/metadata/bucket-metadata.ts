import { z } from '@hono/zod-openapi'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { metadatumBody } from '../../lib/wire/metadatum-body.ts'
import { findBucket, findBucketToChange } from '../buckets/find-bucket.ts'
import { recordEvent } from '../events/record-event.ts'
import { created, noContent, ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { deletedFacts, metadataParams } from './metadata-events.ts'
import { metadataOf } from './metadata-resource.ts'
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
  handle: async (request, services) => {
    const { params, body } = request
    const bucket = await findBucketToChange(services, params.bucketId)
    const subject = metadataSubject.bucket(bucket)
    const given = readMetadata(body.metadata, { provider: readProvider(body.provider) })
    await storeMetadata(services, subject, given)
    const event = auditEvent('bucketMetadataSet', { ...namesOf(bucket), params: metadataParams(given) })
    await recordEvent(request, services, event)
    return created(await metadataOf(services, subject))
  },
})

export const deleteBucketMetadata = defineRoute({
  tag: 'metadata',
  method: 'delete',
  path: '/v2/storage/buckets/{bucketId}/metadata/{metadataId}',
  summary: 'Delete a metadatum of a bucket',
  replies: { 204: 'Deleted', 404: 'There is no such bucket or metadatum' },
  handle: async (request, services) => {
    const { params } = request
    const bucket = await findBucketToChange(services, params.bucketId)
    const deleted = await services.metadata.delete(metadataSubject.bucket(bucket), params.metadataId)
    if (!deleted) throw metadataNotFound(params.metadataId)
    const event = auditEvent('bucketMetadataDeleted', { ...namesOf(bucket), ...deletedFacts(deleted) })
    await recordEvent(request, services, event)
    return noContent()
  },
})

const namesOf = ({ id, name }: { id: string; name: string }) => ({ id, name })
