import { z } from '@hono/zod-openapi'
import { refuseReferencedKey } from '../../lib/storage/tables/aliases/alias-rules.ts'
import { refuseKey } from '../../lib/storage/tables/table-columns.ts'
import { commaList, textList } from '../http/fields.ts'
import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { findOwnTable } from './find-table.ts'

/** Makes columns the primary key of a table without one, unless two rows have the same values in them. */
export const addPrimaryKey = defineRoute({
  method: 'post',
  path: '/v2/storage/tables/{tableId}/primary-key',
  summary: 'Add a primary key to a table',
  tag: 'tables',
  body: z.object({ columns: z.union([textList({ itemMax: 255 }), commaList()]).default([]) }),
  validationCode: 'storage.validation.primaryKey',
  replies: {
    202: 'The job `tablePrimaryKeyAdd`',
    400: '`storage.validation.primaryKey`',
    404: 'There is no such table',
  },
  handle: async (request, services) => {
    const { tableId } = request.params
    const columns = [...new Set(request.body.columns)]
    return submitJob(request, services, {
      input: { operationName: 'tablePrimaryKeyAdd', tableId, columns },
      admit: async () => {
        refuseKey(await findOwnTable(services, tableId), columns)
        return { columns }
      },
    })
  },
})

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
      admit: async () => {
        await refuseReferencedKey(await findOwnTable(services, tableId), services.aliases)
        return {}
      },
    })
  },
})
