import { z } from '@hono/zod-openapi'
import { bucketResource } from '../../lib/storage/buckets/bucket-resource.ts'
import { updateBucket as changeBucket } from '../../lib/storage/buckets/update-bucket.ts'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { bucketBody } from '../../lib/wire/table-body.ts'
import { recordEvent } from '../events/record-event.ts'
import { flag, text } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { metadataOf } from '../metadata/metadata-resource.ts'
import { checkDisplayName } from './bucket-settings.ts'
import { findBucket } from './find-bucket.ts'

const isAsync = { async: flag().default(false) }

/** Changes display name and colour. The id never changes. */
export const updateBucket = defineRoute({
  method: 'put',
  path: '/v2/storage/buckets/{bucketId}',
  summary: 'Update a bucket',
  tag: 'buckets',
  access: 'manage',
  query: z.object(isAsync),
  body: z.object({
    ...isAsync,
    displayName: text({ max: 300 }).optional(),
    color: text({ max: 50 }).optional(),
  }),
  validationCode: 'storage.buckets.validation',
  replies: { 200: 'The bucket', 202: 'A job `bucketUpdate`, with `async=1`', 404: 'There is no such bucket' },
  reply: bucketBody,
  handle: async (request, services) => {
    const { query, body, baseUrl } = request
    const { bucketId } = request.params
    const displayName = body.displayName === undefined ? undefined : checkDisplayName(body.displayName)
    const change = {
      ...(displayName !== undefined && { displayName }),
      ...(body.color !== undefined && { color: body.color }),
    }
    if (query.async || body.async)
      return submitJob(request, services, {
        input: { operationName: 'bucketUpdate', bucketId, ...change },
        admit: async () => ({ bucketId: (await findBucket(services, bucketId)).id, ...change }),
      })
    const { id } = await findBucket(services, bucketId)
    await services.own.bucket(id)
    await changeBucket(id, change, services)
    const bucket = await findBucket(services, id)
    const event = auditEvent('bucketUpdated', { id, name: bucket.name, params: change })
    await recordEvent(request, services, event)
    return ok({
      ...bucketResource(bucket, await services.tables.listInBucket(id), baseUrl),
      metadata: await metadataOf(services, metadataSubject.bucket(bucket)),
    })
  },
})
