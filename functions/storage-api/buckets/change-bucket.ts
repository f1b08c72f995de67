import { z } from '@hono/zod-openapi'
import { bucketResource } from '../../lib/storage/buckets/bucket-resource.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { nameOfTable } from '../../lib/storage/tables/table-store.ts'
import {
  updateBucket as changeBucket,
  deleteBucket as removeBucket,
} from '../../lib/storage/update-bucket.ts'
import { bucketBody } from '../../lib/wire/table-body.ts'
import { findBucket } from '../find/find-bucket.ts'
import { flag, text } from '../http/fields.ts'
import { recordAudit } from '../http/record-event.ts'
import { routesOf } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { metadataOf } from '../metadata/metadata-resource.ts'
import { checkDisplayName } from './bucket-settings.ts'

export const routes = routesOf('buckets')

/** Changes display name and colour, of which `null` is none. The id never changes. */
routes.put('/v2/storage/buckets/{bucketId}', {
  summary: 'Update a bucket',
  access: 'manage',
  query: z.object({ async: flag().default(false) }),
  body: z.object({
    async: flag()
      .nullish()
      .transform(given => given ?? false),
    displayName: text({ max: 300 })
      .nullish()
      .transform(given => given ?? undefined),
    color: text({ max: 50 }).nullish(),
  }),
  keepsNull: true,
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
    await recordAudit(request, services, 'bucketUpdated', { id, name: bucket.name, params: change })
    return {
      ...bucketResource(bucket, await services.totals.of(id), { ...services, baseUrl }),
      metadata: await metadataOf(services, metadataSubject.bucket(bucket)),
    }
  },
})

routes.delete('/v2/storage/buckets/{bucketId}', {
  summary: 'Delete a bucket',
  access: 'manage',
  query: z.object({ force: flag().default(false), async: flag().default(false) }),
  replies: {
    204: 'Deleted',
    202: 'A job `bucketDelete`, with `async=1`',
    400: '`buckets.deleteNotEmpty`: it has tables, and `force=1` was not given',
    404: 'There is no such bucket',
  },
  handle: async (request, services) => {
    const { bucketId } = request.params
    const { force, async } = request.query
    if (async)
      return submitJob(request, services, {
        input: { operationName: 'bucketDelete', bucketId, force },
        admit: async () => ({ bucketId: (await findBucket(services, bucketId)).id, force }),
      })
    const { id, name } = await findBucket(services, bucketId)
    await services.own.bucket(id)
    const deletedAliases = await removeBucket(id, force, services)
    for (const tableId of deletedAliases) {
      await recordAudit(request, services, 'tableDeleted', {
        id: tableId,
        name: nameOfTable(tableId),
        params: { force },
      })
    }
    await recordAudit(request, services, 'bucketDeleted', { id, name, params: { force } })
    return undefined
  },
})
