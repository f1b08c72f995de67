import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { importTableFields, importTableJob } from './import-table-job.ts'

/** Loads a file into a table, by a job `tableImport`. Imports into one table run one after the other. */
export const importTable = defineRoute({
  method: 'post',
  path: '/v2/storage/tables/{tableId}/import-async',
  summary: 'Load a file into a table',
  tag: 'tables',
  body: importTableFields,
  validationCode: 'storage.tables.validation',
  replies: {
    202: 'The job `tableImport`',
    400: 'The request is wrong',
    404: 'There is no such table or file',
  },
  handle: async (request, services) => {
    const { tableId } = request.params
    return submitJob(
      request,
      services,
      await importTableJob(request, services, { tableId, body: request.body }),
    )
  },
})
