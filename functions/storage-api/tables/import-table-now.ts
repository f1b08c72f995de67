import { importResultsBody } from '../../lib/wire/table-body.ts'
import { receiveUpload } from '../files/receive-upload.ts'
import { uploadForm } from '../files/upload-form.ts'
import { checkFields, withoutUnset } from '../http/check-fields.ts'
import { ok } from '../http/reply.ts'
import { defineRoute } from '../http/route.ts'
import { doJob } from '../jobs/do-job.ts'
import { findOwnTable } from './find-table.ts'
import { importTableFields, importTableJob } from './import-table-job.ts'

/** Loads the data in the request into a table. Older than `import-async`, and for small files. */
export const importTableNow = defineRoute({
  method: 'post',
  path: '/v2/storage/tables/{tableId}/import',
  summary: 'Load the data in the request into a table',
  tag: 'tables',
  replies: {
    200: 'What was imported, as the results of a job `tableImport`',
    202: 'The job `tableImport`, when it takes longer than a request may',
    404: 'There is no such table',
  },
  reply: importResultsBody,
  streamedBody: uploadForm.extend(importTableFields.shape),
  handle: async (request, services) => {
    const { tableId } = request.params
    await findOwnTable(services, tableId)
    const { fields, file } = await receiveUpload(request, services)
    // The name of the file, which has one already.
    const { name: _name, ...others } = fields
    const sent = withoutUnset(importTableFields, { ...others, ...(file && { dataFileId: file.id }) })
    const body = checkFields(importTableFields, sent, 'storage.tables.validation', request.passedOver)
    return doJob(
      { ...request, sent: [request.sent, sent] },
      services,
      await importTableJob(request, services, { tableId, body }),
      ok,
    )
  },
})
