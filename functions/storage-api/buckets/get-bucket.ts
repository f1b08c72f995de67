import { z } from '@hono/zod-openapi'
import { bucketResource } from '../../lib/storage/buckets/bucket-resource.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { bucketDetailBody } from '../../lib/wire/table-body.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { metadataOf } from '../metadata/metadata-resource.ts'
import { listedTables, tableIncludesOfBucket } from '../tables/table-includes.ts'
import { findBucket } from './find-bucket.ts'

/** One bucket with its tables. */
export const getBucket = defineRoute({
  method: 'get',
  path: '/v2/storage/buckets/{bucketId}',
  summary: 'Bucket detail',
  tag: 'buckets',
  query: z.object({ include: tableIncludesOfBucket() }),
  replies: { 200: 'The bucket', 404: 'There is no such bucket' },
  reply: bucketDetailBody,
  handle: async ({ params, query, baseUrl }, services) => {
    const bucket = await findBucket(services, params.bucketId)
    const tables = await services.tables.listInBucket(bucket.id)
    return ok({
      ...bucketResource(bucket, tables, baseUrl),
      tables: await listedTables(services, { bucket, siblings: tables, include: query.include, baseUrl }),
      metadata: await metadataOf(services, metadataSubject.bucket(bucket)),
      attributes: [],
    })
  },
})
