import { z } from '@hono/zod-openapi'
import pMap from 'p-map'
import { bucketResource } from '../../lib/storage/buckets/bucket-resource.ts'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { mayUseBucket } from '../../lib/storage/tokens/rights.ts'
import { bucketBody } from '../../lib/wire/table-body.ts'
import { recordEvent } from '../events/record-event.ts'
import { includeOf } from '../http/include.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { metadataOf } from '../metadata/metadata-resource.ts'

const LISTS_AT_ONCE = 16

export const listBuckets = defineRoute({
  method: 'get',
  path: '/v2/storage/buckets',
  summary: 'List buckets',
  tag: 'buckets',
  query: z.object({ include: includeOf(['metadata', 'linkedBuckets', 'attributes']) }),
  replies: { 200: 'The buckets, in the order of their ids' },
  reply: z.array(bucketBody),
  handle: async (request, services) => {
    const { query, caller, baseUrl } = request
    const { buckets, tables } = services
    const visible = (await buckets.list()).filter(({ id }) => mayUseBucket(caller, id, 'read'))
    const listed = await pMap(
      visible,
      async bucket => ({
        ...bucketResource(bucket, await tables.listInBucket(bucket.id), baseUrl),
        ...(query.include.includes('metadata') && {
          metadata: await metadataOf(services, metadataSubject.bucket(bucket)),
        }),
        ...(query.include.includes('attributes') && { attributes: [] }),
        ...(query.include.includes('linkedBuckets') && { linkedBy: [] }),
      }),
      { concurrency: LISTS_AT_ONCE },
    )
    await recordEvent(request, services, auditEvent('bucketsListed', {}))
    return ok(listed)
  },
})
