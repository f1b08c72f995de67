import { z } from '@hono/zod-openapi'
import { auditEvent } from '../../lib/storage/events/audit-event.ts'
import { dropTable, refuseAliases } from '../../lib/storage/tables/drop-table.ts'
import { nameOfTable, tableIdOf } from '../../lib/storage/tables/table-store.ts'
import { recordEvent } from '../events/record-event.ts'
import { flag } from '../http/fields.ts'
import { noContent } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { findTable } from './find-table.ts'

/**
 * Deletes a table: at once, or with `async=1` by a job that waits for the jobs before it. When a table is deleted at
 * once, a running job on it fails. With `force` its aliases go too.
 */
export const deleteTable = defineRoute({
  method: 'delete',
  path: '/v2/storage/tables/{tableId}',
  summary: 'Delete a table',
  tag: 'tables',
  query: z.object({ force: flag().default(false), async: flag().default(false) }),
  replies: {
    204: 'Deleted',
    202: 'A job `tableDrop`, with `async=1`',
    400: '`tables.cannotDeletedTableWithAliases`: it has aliases, and `force=1` was not given',
    404: 'There is no such table',
  },
  handle: async (request, services) => {
    const { tableId } = request.params
    const { force, async } = request.query
    if (async)
      return submitJob(request, services, {
        input: { operationName: 'tableDrop', tableId, force },
        tableId,
        queueTableId: tableId,
        admit: async () => {
          const table = await findTable(services, tableId)
          await refuseAliases(table, force, services.aliases)
          return { tableId: tableIdOf(table), force }
        },
      })
    const table = await findTable(services, tableId)
    const deletedAliases = await dropTable(table, { ...services, force })
    for (const id of [...deletedAliases, tableId]) {
      const event = auditEvent('tableDeleted', { id, name: nameOfTable(id), params: { force } })
      await recordEvent(request, services, event)
    }
    return noContent()
  },
})
