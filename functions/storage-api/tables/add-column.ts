import { z } from '@hono/zod-openapi'
import { withAliasColumn } from '../../lib/storage/tables/aliases/alias-columns.ts'
import { isAliased } from '../../lib/storage/tables/aliases/resolve-alias.ts'
import { refuseColumn } from '../../lib/storage/tables/table-columns.ts'
import type { TableHead } from '../../lib/storage/tables/table-record.ts'
import { sanitizeColumnName } from '../../lib/table-engine/csv/column-names.ts'
import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { columnFields, readColumn } from './column-definition.ts'
import { findTable } from './find-table.ts'

/**
 * Adds a column, empty in every row. For a typed table, with its definition. A name is made valid in the same way as
 * those of a file's header; the job and its event say so. An alias shows one more column of its source.
 */
export const addColumn = defineRoute({
  method: 'post',
  path: '/v2/storage/tables/{tableId}/columns',
  summary: 'Add a column to a table',
  tag: 'tables',
  body: z.object(columnFields),
  validationCode: 'storage.tables.validation',
  replies: {
    202: 'The job `tableColumnAdd`',
    400: '`storage.tables.columnAlreadyExists`, `storage.tables.invalidColumnName`',
    404: 'There is no such table',
  },
  handle: async (request, services) => {
    const { tableId } = request.params
    const { name: requestedName, ...definition } = readColumn(request.body)
    const name = sanitizeColumnName(requestedName)
    const renamed = name === requestedName ? {} : { requestedName }
    return submitJob(request, services, {
      input: {
        operationName: 'tableColumnAdd',
        tableId,
        name,
        ...renamed,
        definition: { name, ...definition },
      },
      tableId,
      queueTableId: tableId,
      admit: async () => {
        refuseNewColumn(await findTable(services, tableId), name)
        return { name, ...renamed }
      },
    })
  },
})

const refuseNewColumn = (table: TableHead, name: string): void => {
  if (isAliased(table)) withAliasColumn(table, name)
  else refuseColumn(table, name)
}
