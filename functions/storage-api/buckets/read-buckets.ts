import { z } from '@hono/zod-openapi'
import pMap from 'p-map'
import { bucketResource } from '../../lib/storage/buckets/bucket-resource.ts'
import { metadataSubject } from '../../lib/storage/metadata/metadata-store.ts'
import { mayUseBucket } from '../../lib/storage/tokens/rights.ts'
import { noTotals } from '../../lib/storage/totals/totals.ts'
import { emptyList } from '../../lib/wire/fields.ts'
import { bucketBody, bucketDetailBody } from '../../lib/wire/table-body.ts'
import { findBucket } from '../find/find-bucket.ts'
import { includeOf } from '../http/fields.ts'
import { recordAudit } from '../http/record-event.ts'
import { routesOf } from '../http/route.ts'
import { metadataOf } from '../metadata/metadata-resource.ts'
import { listedTables, tableIncludesOfBucket } from '../tables/table-includes.ts'

export const routes = routesOf('buckets')

const LISTS_AT_ONCE = 16

routes.get('/v2/storage/buckets', {
  summary: 'List buckets',
  query: z.object({ include: includeOf(['metadata', 'linkedBuckets', 'attributes']) }),
  replies: { 200: 'The buckets, in the order of their ids' },
  reply: z.array(bucketBody),
  handle: async (request, services) => {
    const { query, caller, baseUrl } = request
    const { buckets, totals } = services
    const visible = (await buckets.list()).filter(({ id }) => mayUseBucket(caller, id, 'read'))
    const totalsOf = await totals.ofEach()
    const listed = await pMap(
      visible,
      async bucket => ({
        ...bucketResource(bucket, totalsOf.get(bucket.id) ?? noTotals, { ...services, baseUrl }),
        ...(query.include.includes('metadata') && {
          metadata: await metadataOf(services, metadataSubject.bucket(bucket)),
        }),
        ...(query.include.includes('attributes') && { attributes: [] }),
        ...(query.include.includes('linkedBuckets') && { linkedBy: [] }),
      }),
      { concurrency: LISTS_AT_ONCE },
    )
    await recordAudit(request, services, 'bucketsListed')
    return listed
  },
})

/** One bucket with its tables. */
routes.get('/v2/storage/buckets/{bucketId}', {
  summary: 'Bucket detail',
  query: z.object({ include: tableIncludesOfBucket() }),
  replies: { 200: 'The bucket', 404: 'There is no such bucket' },
  reply: bucketDetailBody,
  handle: async ({ params, query, baseUrl }, services) => {
    const bucket = await findBucket(services, params.bucketId)
    return {
      ...bucketResource(bucket, await services.totals.of(bucket.id), { ...services, baseUrl }),
      tables: await listedTables(services, { bucket, include: query.include, baseUrl }),
      metadata: await metadataOf(services, metadataSubject.bucket(bucket)),
      attributes: [],
    }
  },
})

/** Buckets that other projects share with this one: none, because nothing is shared between projects here. */
routes.get('/v2/storage/shared-buckets', {
  summary: 'List buckets of other projects',
  query: z.object({ include: includeOf(['metadata']) }),
  replies: { 200: 'An empty list' },
  reply: emptyList,
  handle: async () => [],
})
