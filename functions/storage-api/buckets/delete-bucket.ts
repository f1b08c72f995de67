import { z } from '@hono/zod-openapi'
import { deleteBucket as removeBucket } from '../../lib/storage/buckets/delete-bucket.ts'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { nameOfTable } from '../../lib/storage/tables/table-store.ts'
import { recordEvent } from '../events/record-event.ts'
import { flag } from '../http/fields.ts'
import { noContent } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { findBucket } from './find-bucket.ts'

export const deleteBucket = defineRoute({
  method: 'delete',
  path: '/v2/storage/buckets/{bucketId}',
  summary: 'Delete a bucket',
  tag: 'buckets',
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
      const event = auditEvent('tableDeleted', { id: tableId, name: nameOfTable(tableId), params: { force } })
      await recordEvent(request, services, event)
    }
    const event = auditEvent('bucketDeleted', { id, name, params: { force } })
    await recordEvent(request, services, event)
    return noContent()
  },
})
