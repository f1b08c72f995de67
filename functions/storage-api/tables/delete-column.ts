import { z } from '@hono/zod-openapi'
import { withoutAliasColumn } from '../../lib/storage/tables/aliases/alias-columns.ts'
import { refuseReferencedColumn } from '../../lib/storage/tables/aliases/alias-rules.ts'
import { isAliased } from '../../lib/storage/tables/aliases/resolve-alias.ts'
import { refuseColumnDelete } from '../../lib/storage/tables/table-columns.ts'
import { requireSource } from '../aliases/find-alias.ts'
import { flag } from '../http/fields.ts'
import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { findTable } from './find-table.ts'

/**
 * Deletes a column with its values. With `force` also from the aliases that follow the table. An alias shows one column
 * less.
 */
export const deleteColumn = defineRoute({
  method: 'delete',
  path: '/v2/storage/tables/{tableId}/columns/{column}',
  summary: 'Delete a column of a table',
  tag: 'tables',
  query: z.object({ force: flag().default(false) }),
  replies: {
    202: 'The job `tableColumnDelete`',
    400: '`storage.tables.cannotDeletePrimaryKeyColumn`, `storage.tables.cannotDeleteLastColumn`, `storage.tables.cannotDeleteReferencedColumn`',
    404: 'There is no such table or column',
  },
  handle: async (request, services) => {
    const { tableId, column: name } = request.params
    const { force } = request.query
    return submitJob(request, services, {
      input: { operationName: 'tableColumnDelete', tableId, name, force },
      tableId,
      queueTableId: tableId,
      admit: async () => {
        const table = await findTable(services, tableId)
        requireSource(request.caller, table)
        if (isAliased(table)) withoutAliasColumn(table, name)
        else {
          refuseColumnDelete(table, name)
          await refuseReferencedColumn(table, name, { ...services, force })
        }
        return { name, force }
      },
    })
  },
})
