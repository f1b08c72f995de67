import { z } from '@hono/zod-openapi'
import { emptyList } from '../../lib/wire/fields.ts'
import { includeOf } from '../http/include.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'

/** Buckets that other projects share with this one: none, because nothing is shared between projects here. */
export const listSharedBuckets = defineRoute({
  method: 'get',
  path: '/v2/storage/shared-buckets',
  summary: 'List buckets of other projects',
  tag: 'buckets',
  query: z.object({ include: includeOf(['metadata']) }),
  replies: { 200: 'An empty list' },
  reply: emptyList,
  handle: async () => ok([]),
})
