import { z } from '@hono/zod-openapi'
import { UserError } from '../../../lib/errors.ts'
import { wireDate } from '../../../lib/storage-resources/wire-date.ts'
import type { InputOf } from '../../../lib/storage-store/job-record.ts'
import { tableAlreadyExists } from '../../../lib/storage-store/table-already-exists.ts'
import { requireTable } from '../../access/rights.ts'
import { findBucket } from '../../buckets/find-bucket.ts'
import { findFile } from '../../files/find-file.ts'
import { submitJob } from '../../jobs/submit-job.ts'
import type { Services } from '../../services.ts'
import { csvFields, readCsvSettings } from '../../tables/csv-settings.ts'
import { findSnapshot } from '../../tables/find-snapshot.ts'
import { findTable } from '../../tables/find-table.ts'
import { parseTime } from '../../tables/parse-time.ts'
import { requireDataFile } from '../../tables/require-data-file.ts'
import { checkTableName } from '../../tables/table-name.ts'
import type { Caller } from '../../wire/authenticate.ts'
import { integer, text } from '../../wire/fields.ts'
import { defineRoute } from '../../wire/route.ts'

const requestBody = z.looseObject({
  name: text({ max: 300 }).optional(),
  displayName: text({ max: 300 }).optional(),
  dataFileId: integer().optional(),
  snapshotId: integer().optional(),
  sourceTableId: text({ max: 500 }).optional(),
  timestamp: text({ max: 100 }).optional(),
  // A comma list. Of any type here: a list has an error code of its own.
  primaryKey: z.unknown().optional().openapi({ type: 'string', example: 'id,country' }),
  ...csvFields,
})

type TableSource = InputOf<'tableCreate'>['source']

/** Creates a table from a file, a snapshot or another table, by a job `tableCreate` whose results are the table. */
export const createTable = defineRoute({
  method: 'post',
  path: '/v2/storage/buckets/{bucketId}/tables-async',
  summary: 'Create a table from a file, a snapshot or another table',
  tag: 'tables',
  body: requestBody,
  validationCode: 'storage.tables.validation',
  replies: {
    202: 'The job `tableCreate`',
    400: 'The request is wrong',
    404: 'There is no such bucket, file, snapshot or table',
  },
  handle: async (request, services) => {
    const { body } = request
    const { bucketId } = request.params
    const { name, displayName } = checkTableName(body)
    const source = readSource(body, services.now())
    const tableId = `${bucketId}.${name}`
    return submitJob(request, services, {
      input: { operationName: 'tableCreate', bucketId, name, displayName, source },
      queueTableId: tableId,
      admit: async () => {
        await findBucket(services, bucketId)
        const params = await admitSource(source, request.caller, services)
        if (await services.tables.get(tableId)) throw tableAlreadyExists(name, displayName)
        return { ...params, params: { name, ...params.params }, queue: 'main' }
      },
    })
  },
})

const readSource = (body: z.output<typeof requestBody>, now: Date): TableSource => {
  const { snapshotId, sourceTableId, timestamp } = body
  if (snapshotId !== undefined) return { type: 'snapshot', snapshotId }
  if (sourceTableId !== undefined) {
    const at = timestamp === undefined ? now : parseTime('timestamp', timestamp, now)
    return { type: 'table', tableId: sourceTableId, at: at.toISOString() }
  }
  const fileId = requireDataFile(body)
  return { type: 'file', fileId, csv: readCsvSettings(body), primaryKey: readPrimaryKey(body.primaryKey) }
}

/** Looks whether the source is there and the caller may read it; gives what of it the job shows. */
const admitSource = async (
  source: TableSource,
  caller: Caller,
  services: Services,
): Promise<{ params: Record<string, unknown>; source: Record<string, unknown> }> => {
  if (source.type === 'file') {
    const { fileId, csv, primaryKey } = source
    const file = await findFile(services.files, String(fileId), caller)
    return {
      params: { ...csv, incremental: false, primaryKey },
      source: { fileId, fileName: file.name, type: 'file' },
    }
  }
  if (source.type === 'snapshot') {
    const { id } = await findSnapshot(services, String(source.snapshotId), caller)
    return { params: {}, source: { snapshotId: id, type: 'snapshot' } }
  }
  requireTable(caller, source.tableId, 'read')
  const { tableId, at } = source
  await findTable(services, tableId)
  return { params: {}, source: { tableId, timestamp: wireDate(at), type: 'table' } }
}

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
