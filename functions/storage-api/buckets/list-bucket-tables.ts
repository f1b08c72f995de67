import { z } from '@hono/zod-openapi'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { listedTableBody } from '../tables/table-body.ts'
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
  handle: async ({ params, query, baseUrl }, services) => {
    const bucket = await findBucket(services, params.bucketId)
    const siblings = await services.tables.listInBucket(bucket.id)
    return ok(await listedTables(services, { bucket, siblings, include: query.include, baseUrl }))
  },
})
