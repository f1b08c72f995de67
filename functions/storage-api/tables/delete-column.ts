import { z } from '@hono/zod-openapi'
import { refuseColumnDelete } from '../../lib/storage/tables/table-columns.ts'
import { flag } from '../http/fields.ts'
import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { findTable } from './find-table.ts'

/** Deletes a column with its values. `force` is for aliases, which do not exist here. */
export const deleteColumn = defineRoute({
  method: 'delete',
  path: '/v2/storage/tables/{tableId}/columns/{column}',
  summary: 'Delete a column of a table',
  tag: 'tables',
  query: z.object({ force: flag().default(false) }),
  replies: {
    202: 'The job `tableColumnDelete`',
    400: '`storage.tables.cannotDeletePrimaryKeyColumn`, `storage.tables.cannotDeleteLastColumn`',
    404: 'There is no such table or column',
  },
  handle: async (request, services) => {
    const { tableId, column: name } = request.params
    return submitJob(request, services, {
      input: { operationName: 'tableColumnDelete', tableId, name },
      tableId,
      queueTableId: tableId,
      admit: async () => {
        refuseColumnDelete(await findTable(services, tableId), name)
        return { name, force: request.query.force }
      },
    })
  },
})
