import { z } from '@hono/zod-openapi'
import { findBucket } from '../../buckets/find-bucket.ts'
import { listedTableBody } from '../../resources/table-body.ts'
import { listedTables } from '../../tables/table-includes.ts'
import { commaList } from '../../wire/fields.ts'
import { ok } from '../../wire/reply.ts'
import { defineRoute } from '../../wire/route.ts'

export const listBucketTables = defineRoute({
  method: 'get',
  path: '/v2/storage/buckets/{bucketId}/tables',
  summary: 'List the tables of a bucket',
  tag: 'tables',
  query: z.object({ include: commaList().default([]) }),
  replies: { 200: 'The tables, in the order of their names', 404: 'There is no such bucket' },
  reply: z.array(listedTableBody),
  handle: async ({ params, query, baseUrl }, services) => {
    const bucket = await findBucket(services, params.bucketId)
    const tables = await services.tables.listInBucket(bucket.id)
    return ok(await listedTables(services, tables, query.include, baseUrl))
  },
})
