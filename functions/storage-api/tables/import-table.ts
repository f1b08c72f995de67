import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { keyNames, readKeyColumns } from '../../lib/wire/primary-key.ts'
import { importResultsBody, tableBody } from '../../lib/wire/table-body.ts'
import { receiveUpload, type Upload, uploadForm } from '../files/receive-upload.ts'
import { findOwnTable } from '../find/find-table.ts'
import { checkFields, withoutUnset } from '../http/check-fields.ts'
import { flag, text, textList, unlessBlank } from '../http/fields.ts'
import { requireTable } from '../http/rights.ts'
import { routesOf } from '../http/route.ts'
import { doJob, type NewJob, type Submitter, submitJob } from '../jobs/submit-job.ts'
import type { Services } from '../services/services.ts'
import {
  admitDataPlace,
  createTableFields,
  createTableJob,
  csvFields,
  dataPlaceFields,
  readCsvSettings,
  readDataPlace,
} from './create-table.ts'

export const routes = routesOf('tables')
export const importer = routesOf('importer')

/** The fields of an import (docs/reference/storage-api.md#import). */
const importTableFields = z.object({
  ...dataPlaceFields,
  snapshotId: z.unknown().optional().meta({ type: 'integer' }),
  incremental: flag().default(false),
  useTimestampFromDataFile: flag().default(false),
  deduplicationStrategy: unlessBlank(
    z.enum(['upsert', 'insert'], { error: 'This value should be upsert or insert.' }),
  ),
  // A comma list or a list
  primaryKey: z
    .union([text({ max: 20_000 }), textList()])
    .optional()
    .meta({ type: 'string', example: 'id,country' }),
  ...csvFields,
})

/** The job `tableImport` of a request. */
const importTableJob = (
  { caller, raw }: Submitter,
  services: Services,
  { tableId, body }: { tableId: string; body: z.output<typeof importTableFields> },
): NewJob => {
  const { incremental, deduplicationStrategy = 'upsert' } = body
  const fileId = readDataPlace(body)
  if (body.useTimestampFromDataFile) throw notImplemented('useTimestampFromDataFile')
  const csv = readCsvSettings(body)
  const primaryKey = requestedKey(body.primaryKey, raw.headers)
  const key = primaryKey.length === 0 ? {} : { primaryKey }
  return {
    input: { operationName: 'tableImport', tableId, fileId, csv, incremental, ...key },
    admit: async () => {
      const [{ snapshot }, source] = await Promise.all([
        findOwnTable(services, tableId),
        admitDataPlace(fileId, caller, services),
      ])
      // Without a primary key nothing is deduplicated, so both strategies are the same.
      if (deduplicationStrategy === 'insert' && snapshot.primaryKey.length > 0)
        throw notImplemented('deduplicationStrategy=insert')
      return { params: { ...csv, incremental, ...key }, source, queue: 'main' }
    },
  }
}

const requestedKey = (given: string | string[] = [], headers: Headers): string[] => {
  if (!Array.isArray(given)) return keyNames(readKeyColumns(given))
  // The Python client sends the columns of the file as `primaryKey[]` of a form. There a list is not a key.
  const isForm = /form/i.test(headers.get('content-type') ?? '')
  return isForm ? [] : keyNames(given)
}

const notImplemented = (option: string) => new UserError('notImplemented', `"${option}" is not supported.`)

/** Loads a file into a table, by a job `tableImport`. Imports into one table run one after the other. */
routes.post('/v2/storage/tables/{tableId}/import-async', {
  summary: 'Load a file into a table',
  body: importTableFields,
  validationCode: 'storage.tables.validation',
  replies: {
    202: 'The job `tableImport`',
    400: 'The request is wrong',
    404: 'There is no such table or file',
  },
  handle: async (request, services) => {
    const { tableId } = request.params
    return submitJob(request, services, importTableJob(request, services, { tableId, body: request.body }))
  },
})

/** The fields of a form that brings its data. Its `name` is that of the file, which has one already. */
const readForm = <Fields extends typeof importTableFields>(
  schema: Fields,
  { fields: { name: _name, ...fields }, file }: Upload,
  { passedOver }: { passedOver: string[] },
) => {
  const sent = withoutUnset(schema, { ...fields, ...(file && { dataFileId: file.id }) })
  return { sent, body: checkFields(schema, sent, 'storage.tables.validation', passedOver) }
}

const loaded = {
  replies: {
    200: 'What was imported, as the results of a job `tableImport`',
    202: 'The job `tableImport`, when it takes longer than a request may',
    404: 'There is no such table',
  },
  reply: importResultsBody,
}

/** Creates a table from the data in the request. Older than `tables-async`, and for small tables. */
routes.post('/v2/storage/buckets/{bucketId}/tables', {
  summary: 'Create a table from the data in the request',
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
    const job = createTableJob(request, services, { bucketId, body })
    return doJob({ ...request, sent: [request.sent, sent] }, services, job)
  },
})

/** Loads the data in the request into a table. Older than `import-async`, and for small files. */
routes.post('/v2/storage/tables/{tableId}/import', {
  summary: 'Load the data in the request into a table',
  ...loaded,
  streamedBody: uploadForm.extend(importTableFields.shape),
  handle: async (request, services) => {
    const { tableId } = request.params
    await findOwnTable(services, tableId)
    const { sent, body } = readForm(importTableFields, await receiveUpload(request, services), request)
    const job = importTableJob(request, services, { tableId, body })
    return doJob({ ...request, sent: [request.sent, sent] }, services, job)
  },
})

const writeTableFields = importTableFields.extend({ tableId: text({ min: 1, max: 500 }) })

/** The importer service: loads a file into a table by one multipart form. */
importer.post('/write-table', {
  summary: 'Load a file into a table through the importer',
  ...loaded,
  streamedBody: uploadForm.extend(writeTableFields.shape),
  handle: async (request, services) => {
    const upload = await receiveUpload(request, services)
    if (!upload.file)
      throw new UserError('storage.validation', 'Invalid request: send the file in the form field "data".')
    const { sent, body: asked } = readForm(writeTableFields, upload, request)
    const { tableId, ...body } = asked
    requireTable(request.caller, tableId, 'write')
    const job = importTableJob(request, services, { tableId, body })
    return doJob({ ...request, sent: [request.sent, sent] }, services, job)
  },
})
