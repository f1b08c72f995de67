import { tableBody } from '../../lib/wire/table-body.ts'
import { receiveUpload } from '../files/receive-upload.ts'
import { uploadForm } from '../files/upload-form.ts'
import { checkFields, withoutUnset } from '../http/check-fields.ts'
import { created } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { doJob } from '../jobs/do-job.ts'
import { createTableFields, createTableJob } from './create-table.ts'

/** Creates a table from the data in the request. Older than `tables-async`, and for small tables. */
export const createTableNow = defineRoute({
  method: 'post',
  path: '/v2/storage/buckets/{bucketId}/tables',
  summary: 'Create a table from the data in the request',
  tag: 'tables',
  replies: {
    201: 'The table',
    202: 'The job `tableCreate`, when it takes longer than a request may',
    404: 'There is no such bucket',
  },
  reply: tableBody,
  streamedBody: uploadForm.extend(createTableFields.shape),
  handle: async (request, services) => {
    const { bucketId } = request.params
    const { fields, file } = await receiveUpload(request, services)
    const sent = withoutUnset(createTableFields, { ...fields, ...(file && { dataFileId: file.id }) })
    const body = checkFields(createTableFields, sent, 'storage.tables.validation', request.passedOver)
    const job = await createTableJob(request, services, { bucketId, body })
    return doJob({ ...request, sent: [request.sent, sent] }, services, job, created)
  },
})
