import { z } from '@hono/zod-openapi'
import pMap from 'p-map'
import { bucketResource } from '../../lib/storage/buckets/bucket-resource.ts'
import { commaList } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { mayUseBucket } from '../http/rights.ts'
import { defineRoute } from '../http/route.ts'
import { listedTableBody } from './table-body.ts'
import { listedTables } from './table-includes.ts'

const LISTS_AT_ONCE = 16

export const listTables = defineRoute({
  method: 'get',
  path: '/v2/storage/tables',
  summary: 'List tables',
  tag: 'tables',
  query: z.object({ include: commaList().default([]) }),
  replies: { 200: 'The tables of all buckets, in the order of their ids' },
  reply: z.array(listedTableBody),
  handle: async ({ query, caller, baseUrl }, services) => {
    const { buckets, tables } = services
    const { include } = query
    const visible = (await buckets.list()).filter(({ id }) => mayUseBucket(caller, id, 'read'))
    const perBucket = await pMap(
      visible,
      async bucket => {
        const found = await tables.listInBucket(bucket.id)
        const shown = include.includes('buckets') || include.includes('bucket')
        return (await listedTables(services, found, include, baseUrl)).map(table => ({
          ...table,
          ...(shown && { bucket: bucketResource(bucket, found, baseUrl) }),
        }))
      },
      { concurrency: LISTS_AT_ONCE },
    )
    return ok(perBucket.flat())
  },
})
