import { z } from '@hono/zod-openapi'
import { refuseColumn } from '../../lib/storage/tables/table-columns.ts'
import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { columnFields, readColumn } from './column-definition.ts'
import { findTable } from './find-table.ts'

/** Adds a column, empty in every row. For a typed table, with its definition. */
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
    const column = readColumn(request.body)
    const { name } = column
    return submitJob(request, services, {
      input: { operationName: 'tableColumnAdd', tableId, name, definition: column },
      tableId,
      queueTableId: tableId,
      admit: async () => {
        refuseColumn(await findTable(services, tableId), name)
        return { name }
      },
    })
  },
})
