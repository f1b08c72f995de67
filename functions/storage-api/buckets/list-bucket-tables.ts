import { z } from '@hono/zod-openapi'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { listedTableBody } from '../../lib/wire/table-body.ts'
import { recordEvent } from '../events/record-event.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { listedTables, tableIncludes } from '../tables/table-includes.ts'
import { findBucket } from './find-bucket.ts'

export const listBucketTables = defineRoute({
  method: 'get',
  path: '/v2/storage/buckets/{bucketId}/tables',
  summary: 'List the tables of a bucket',
  tag: 'tables',
  query: z.object({ include: tableIncludes() }),
  replies: { 200: 'The tables, in the order of their names', 404: 'There is no such bucket' },
  reply: z.array(listedTableBody),
  handle: async (request, services) => {
    const { params, query, baseUrl } = request
    const bucket = await findBucket(services, params.bucketId)
    const siblings = await services.tables.listInBucket(bucket.id)
    const { include } = query
    const listed = await listedTables(services, { bucket, siblings, include, baseUrl })
    const { id, name } = bucket
    await recordEvent(request, services, auditEvent('tablesListed', { id, name }))
    return ok(listed)
  },
})
