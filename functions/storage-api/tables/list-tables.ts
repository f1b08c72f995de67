import { z } from '@hono/zod-openapi'
import pMap from 'p-map'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { mayUseBucket } from '../../lib/storage/tokens/rights.ts'
import { listedTableBody } from '../../lib/wire/table-body.ts'
import { recordEvent } from '../events/record-event.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { listedTables, tableIncludes } from './table-includes.ts'

const LISTS_AT_ONCE = 16

export const listTables = defineRoute({
  method: 'get',
  path: '/v2/storage/tables',
  summary: 'List tables',
  tag: 'tables',
  query: z.object({ include: tableIncludes() }),
  replies: { 200: 'The tables of all buckets, in the order of their ids' },
  reply: z.array(listedTableBody),
  handle: async (request, services) => {
    const { query, caller, baseUrl } = request
    const { buckets, tables } = services
    const visible = (await buckets.list()).filter(({ id }) => mayUseBucket(caller, id, 'read'))
    const perBucket = await pMap(
      visible,
      async bucket =>
        listedTables(services, {
          bucket,
          siblings: await tables.listInBucket(bucket.id),
          include: query.include,
          baseUrl,
        }),
      { concurrency: LISTS_AT_ONCE },
    )
    await recordEvent(request, services, auditEvent('tablesListed', {}))
    return ok(perBucket.flat())
  },
})
