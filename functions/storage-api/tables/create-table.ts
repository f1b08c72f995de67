import { defineRoute } from '../http/route.ts'
import { submitJob } from '../jobs/submit-job.ts'
import { createTableFields, createTableJob } from './create-table-job.ts'

/** Creates a table from a file, a snapshot or another table, by a job `tableCreate` whose results are the table. */
export const createTable = defineRoute({
  method: 'post',
  path: '/v2/storage/buckets/{bucketId}/tables-async',
  summary: 'Create a table from a file, a snapshot or another table',
  tag: 'tables',
  body: createTableFields,
  validationCode: 'storage.tables.validation',
  replies: {
    202: 'The job `tableCreate`',
    400: 'The request is wrong',
    404: 'There is no such bucket, file, snapshot or table',
  },
  handle: async (request, services) => {
    const { bucketId } = request.params
    return submitJob(request, services, createTableJob(request, services, { bucketId, body: request.body }))
  },
})
