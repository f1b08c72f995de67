import { refuseReferencedKey } from '../../lib/storage/tables/aliases/alias-rules.ts'
import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { findOwnTable } from './find-table.ts'

/** Removes the primary key of a table. Idempotent. */
export const deletePrimaryKey = defineRoute({
  method: 'delete',
  path: '/v2/storage/tables/{tableId}/primary-key',
  summary: 'Delete the primary key of a table',
  tag: 'tables',
  replies: { 202: 'The job `tablePrimaryKeyDelete`', 404: 'There is no such table' },
  handle: async (request, services) => {
    const { tableId } = request.params
    return submitJob(request, services, {
      input: { operationName: 'tablePrimaryKeyDelete', tableId },
      tableId,
      queueTableId: tableId,
      admit: async () => {
        await refuseReferencedKey(await findOwnTable(services, tableId), services.aliases)
        return {}
      },
    })
  },
})
