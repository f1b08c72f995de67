import { UserError } from '../../lib/errors/errors.ts'
import { importResultsBody } from '../../lib/wire/table-body.ts'
import { receiveUpload } from '../files/receive-upload.ts'
import { uploadForm } from '../files/upload-form.ts'
import { checkFields, withoutUnset } from '../http/check-fields.ts'
import { text } from '../http/fields.ts'
import { ok } from '../http/reply.ts'
import { requireTable } from '../http/rights.ts'
import { defineRoute } from '../http/route.ts'
import { doJob } from '../jobs/do-job.ts'
import { importTableFields, importTableJob } from './import-table-job.ts'

const writeTableFields = importTableFields.extend({ tableId: text({ min: 1, max: 500 }) })

/** The importer service: loads a file into a table by one multipart form. */
export const writeTable = defineRoute({
  method: 'post',
  path: '/write-table',
  summary: 'Load a file into a table through the importer',
  tag: 'importer',
  replies: {
    200: 'What was imported, as the results of a job `tableImport`',
    202: 'The job `tableImport`, when it takes longer than a request may',
    404: 'There is no such table',
  },
  reply: importResultsBody,
  streamedBody: uploadForm.extend(writeTableFields.shape),
  handle: async (request, services) => {
    const { fields, file } = await receiveUpload(request, services)
    if (!file)
      throw new UserError('storage.validation', 'Invalid request: send the file in the form field "data".')
    // The name of the file, which has one already.
    const { name: _name, ...others } = fields
    const sent = withoutUnset(writeTableFields, { ...others, dataFileId: file.id })
    const { tableId, ...body } = checkFields(
      writeTableFields,
      sent,
      'storage.tables.validation',
      request.passedOver,
    )
    requireTable(request.caller, tableId, 'write')
    return doJob(
      { ...request, sent: [request.sent, sent] },
      services,
      await importTableJob(request, services, { tableId, body }),
      ok,
    )
  },
})
