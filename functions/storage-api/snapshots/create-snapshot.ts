import { z } from '@hono/zod-openapi'
import { text } from '../http/fields.ts'
import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { findOwnTable } from '../tables/find-table.ts'

/** Keeps the current table, by a job `tableSnapshotCreate` whose results name the snapshot. */
export const createSnapshot = defineRoute({
  method: 'post',
  path: '/v2/storage/tables/{tableId}/snapshots',
  summary: 'Create a snapshot of a table',
  tag: 'snapshots',
  body: z.object({ description: text({ max: 10_000 }).default('') }),
  validationCode: 'storage.tables.validation',
  replies: { 202: 'The job `tableSnapshotCreate`', 404: 'There is no such table' },
  handle: async (request, services) => {
    const { tableId } = request.params
    const { description } = request.body
    return submitJob(request, services, {
      input: { operationName: 'tableSnapshotCreate', tableId, description },
      tableId,
      queueTableId: tableId,
      admit: async () => {
        await findOwnTable(services, tableId)
        return { description }
      },
    })
  },
})
