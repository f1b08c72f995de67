import { z } from '@hono/zod-openapi'
import { snapshotBody } from '../../resources/table-body.ts'
import { findTable } from '../../tables/find-table.ts'
import { snapshotResource } from '../../tables/snapshot-resource.ts'
import { integer } from '../../wire/fields.ts'
import { page } from '../../wire/page.ts'
import { ok } from '../../wire/reply.ts'
import { defineRoute } from '../../wire/route.ts'

export const listSnapshots = defineRoute({
  method: 'get',
  path: '/v2/storage/tables/{tableId}/snapshots',
  summary: 'List the snapshots of a table',
  tag: 'snapshots',
  query: z.object({
    limit: integer({ min: 1, max: 1000 }).default(20),
    offset: integer().default(0),
  }),
  replies: { 200: 'The snapshots, newest first', 404: 'There is no such table' },
  reply: z.array(snapshotBody),
  handle: async ({ params, query }, services) => {
    await findTable(services, params.tableId)
    const found = await page(services.snapshots.list(), {
      ...query,
      isListed: ({ table }) => table.id === params.tableId,
    })
    return ok(found.map(snapshotResource))
  },
})
