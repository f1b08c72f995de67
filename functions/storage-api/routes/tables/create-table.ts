import { z } from '@hono/zod-openapi'
import { UserError } from '../../../lib/errors.ts'
import { tableAlreadyExists } from '../../../lib/storage-store/table-already-exists.ts'
import { findBucket } from '../../buckets/find-bucket.ts'
import { findFile } from '../../files/find-file.ts'
import { submitJob } from '../../jobs/submit-job.ts'
import { csvFields, readCsvSettings } from '../../tables/csv-settings.ts'
import { requireDataFile } from '../../tables/require-data-file.ts'
import { checkTableName } from '../../tables/table-name.ts'
import { integer, text } from '../../wire/fields.ts'
import { defineRoute } from '../../wire/route.ts'

const body = z.looseObject({
  name: text({ max: 300 }).optional(),
  displayName: text({ max: 300 }).optional(),
  dataFileId: integer().optional(),
  // A comma list. Of any type here: a list has an error code of its own.
  primaryKey: z.unknown().optional().openapi({ type: 'string', example: 'id,country' }),
  ...csvFields,
})

/** Creates a table from a file, by a job `tableCreate` whose results are the table. */
export const createTable = defineRoute({
  method: 'post',
  path: '/v2/storage/buckets/{bucketId}/tables-async',
  summary: 'Create a table from a file',
  tag: 'tables',
  body,
  validationCode: 'storage.tables.validation',
  replies: {
    202: 'The job `tableCreate`',
    400: 'The request is wrong',
    404: 'There is no such bucket or file',
  },
  handle: async (request, services) => {
    const { body } = request
    const { bucketId } = request.params
    const { name, displayName } = checkTableName(body)
    const fileId = requireDataFile(body)
    const csv = readCsvSettings(body)
    const primaryKey = readPrimaryKey(body.primaryKey)
    const tableId = `${bucketId}.${name}`
    return submitJob(request, services, {
      input: { operationName: 'tableCreate', bucketId, name, displayName, fileId, csv, primaryKey },
      queueTableId: tableId,
      admit: async () => {
        await findBucket(services, bucketId)
        const file = await findFile(services.files, String(fileId))
        if (await services.tables.get(tableId)) throw tableAlreadyExists(name, displayName)
        return {
          params: { name, ...csv, incremental: false, primaryKey },
          source: { fileId, fileName: file.name, type: 'file' },
          queue: 'main',
        }
      },
    })
  },
})

/** Error: 400 `storage.validation.primaryKey` for anything but a comma list. */
const readPrimaryKey = (primaryKey: unknown): string[] => {
  const parsed = text({ max: 20_000 }).default('').safeParse(primaryKey)
  if (!parsed.success)
    throw new UserError(
      'storage.validation.primaryKey',
      'The primary key must be a comma separated list of columns.',
    )
  const columns = parsed.data
    .split(',')
    .map(column => column.trim())
    .filter(Boolean)
  return [...new Set(columns)]
}
