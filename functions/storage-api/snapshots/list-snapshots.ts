import { z } from '@hono/zod-openapi'
import { defaultBranchId } from '../../lib/storage/branches/branch-store.ts'
import { snapshotBody } from '../../lib/wire/snapshot-body.ts'
import { integer } from '../http/fields.ts'
import { page } from '../http/page.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { findTable } from '../tables/find-table.ts'
import { snapshotResource } from './snapshot-resource.ts'

export const listSnapshots = defineRoute({
  method: 'get',
  path: '/v2/storage/tables/{tableId}/snapshots',
  summary: 'List the snapshots of a table that were made in the branch of the path',
  tag: 'snapshots',
  query: z.object({
    limit: integer({ min: 1, max: 1000 }).default(20),
    offset: integer().default(0),
  }),
  replies: { 200: 'The snapshots, newest first', 404: 'There is no such table' },
  reply: z.array(snapshotBody),
  handle: async ({ params, query, baseUrl, branchId }, services) => {
    await findTable(services, params.tableId)
    const found = await page(services.snapshots.listOf(params.tableId), {
      ...query,
      isListed: kept => (kept.branchId ?? defaultBranchId) === branchId,
      show: each => snapshotResource(each, baseUrl),
    })
    return ok(found)
  },
})
