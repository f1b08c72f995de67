import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import type { InputOf } from '../../lib/storage/jobs/job-record.ts'
import { refuseInvalidColumnNames } from '../../lib/storage/tables/table-columns.ts'
import { beforeTable, tableAlreadyExists } from '../../lib/storage/tables/table-errors.ts'
import { refuseTakenName } from '../../lib/storage/tables/update-table.ts'
import { MAX_COLUMNS, sanitizeColumnName } from '../../lib/table-engine/csv/column-names.ts'
import { keyNames, readKeyColumns } from '../../lib/wire/primary-key.ts'
import { hasNameCharacters } from '../../lib/wire/storage-ids.ts'
import { tableBody } from '../../lib/wire/table-body.ts'
import { wireDate } from '../../lib/wire/wire-date.ts'
import { receiveUpload, uploadForm } from '../files/receive-upload.ts'
import { findBucket, findTable, refuseAlias } from '../find/find-table.ts'
import { checkFields, withoutUnset } from '../http/check-fields.ts'
import { flag, integer, listOf, text, textList } from '../http/fields.ts'
import { requireTable } from '../http/rights.ts'
import { routesOf } from '../http/route.ts'
import { doJob, type NewJob, submitJob } from '../jobs/submit-job.ts'
import type { Caller, Services } from '../services/services.ts'
import { findSnapshot } from '../snapshots/snapshots.ts'
import { columnFields, hasType, readColumn, refuseUnknownKeyColumns } from './column-definition.ts'
import { admitDataPlace, csvFields, dataPlaceFields, readCsvSettings, readDataPlace } from './data-place.ts'
import { parseTime } from './parse-time.ts'

export const routes = routesOf('tables')

/** Fields for a new table (docs/reference/storage-api.md#create-a-table). */
const createTableFields = z.object({
  name: text({ max: 300 }).optional(),
  displayName: text({ max: 300 }).optional(),
  ...dataPlaceFields,
  snapshotId: integer().optional(),
  sourceTableId: text({ max: 500 }).optional(),
  timestamp: text({ max: 100 }).optional(),
  // A comma list. Any type is accepted here, because a list has its own error code.
  primaryKey: z.unknown().optional().meta({ type: 'string', example: 'id,country' }),
  ...csvFields,
})

type CreateTableFields = z.output<typeof createTableFields>
type TableSource = InputOf<'tableCreate'>['source']

const createByJobFields = createTableFields.extend({
  ifExists: z.enum(['fail', 'load']).default('fail'),
  incremental: flag().default(false),
})

/**
 * Creates a table from a file, a snapshot or another table, by a job `tableCreate` whose results are the table. With
 * `ifExists=load` the job is a `tableImport`, which creates the table of a file or loads into it.
 */
routes.post('/v2/storage/buckets/{bucketId}/tables-async', {
  summary: 'Create a table from a file, a snapshot or another table, or load the file into it',
  body: createByJobFields,
  validationCode: 'storage.tables.validation',
  replies: {
    202: 'The job `tableCreate`, or `tableImport`',
    400: 'The request is wrong',
    404: 'There is no such bucket, file, snapshot or table',
  },
  handle: async (request, services) => {
    const { bucketId } = request.params
    const { body } = request
    const jobOf = body.ifExists === 'load' ? loadOrCreateJob : createTableJob
    return submitJob(request, services, jobOf(request, services, { bucketId, body }))
  },
})

/** The job `tableImport` of a request, which creates its table if need be. */
const loadOrCreateJob = (
  { caller }: { caller: Caller },
  services: Services,
  { bucketId, body }: { bucketId: string; body: z.output<typeof createByJobFields> },
): NewJob => {
  const { name, displayName } = checkTableName(body)
  const source = readSource(body, services.now())
  if (source.type !== 'file')
    throw new UserError('storage.tables.validation', '"ifExists" is for tables of a file.')
  const { fileId, csv, primaryKey } = source
  const { incremental } = body
  const tableId = `${bucketId}.${name}`
  const key = primaryKey.length === 0 ? {} : { primaryKey }
  return {
    input: {
      operationName: 'tableImport',
      tableId,
      fileId,
      csv,
      incremental,
      ...key,
      creates: { displayName },
    },
    admit: async () => {
      const [table, source] = await Promise.all([
        services.tables.getHead(tableId),
        admitDataPlace(fileId, caller, services),
      ])
      if (table) refuseAlias(table)
      else {
        await findBucket(services, bucketId)
        await refuseTakenName({ bucketId, name, displayName }, services.tables)
      }
      return { params: { ...csv, incremental, ...key }, source, queue: 'main' }
    },
  }
}

/** The job `tableCreate` of a request. */
const createTableJob = (
  { caller }: { caller: Caller },
  services: Services,
  { bucketId, body }: { bucketId: string; body: CreateTableFields },
): NewJob => {
  const { name, displayName } = checkTableName(body)
  const source = readSource(body, services.now())
  const tableId = `${bucketId}.${name}`
  return {
    input: { operationName: 'tableCreate', bucketId, name, displayName, source },
    queueTableId: tableId,
    admit: async () => {
      await findBucket(services, bucketId)
      const params = await admitSource(source, name, caller, services)
      if (await services.tables.getHead(tableId)) throw tableAlreadyExists(name, displayName)
      await refuseTakenName({ bucketId, name, displayName }, services.tables)
      return { ...params, params: { name, ...params.params }, queue: 'main' }
    },
  }
}

const readSource = (body: CreateTableFields, now: Date): TableSource => {
  const { snapshotId, sourceTableId, timestamp } = body
  if (snapshotId !== undefined) return { type: 'snapshot', snapshotId }
  if (sourceTableId !== undefined) {
    const at = timestamp === undefined ? now : readTimestamp(timestamp, now)
    return { type: 'table', tableId: sourceTableId, at: at.toISOString() }
  }
  const fileId = readDataPlace(body)
  return { type: 'file', fileId, csv: readCsvSettings(body), primaryKey: readPrimaryKey(body.primaryKey) }
}

/** Checks that the source exists and the caller may read it. Returns what the job shows about it. */
const admitSource = async (
  source: TableSource,
  name: string,
  caller: Caller,
  services: Services,
): Promise<{ params: Record<string, unknown>; source: Record<string, unknown> }> => {
  if (source.type === 'file') {
    const { csv, primaryKey } = source
    return {
      params: { ...csv, incremental: false, primaryKey },
      source: await admitDataPlace(source.fileId, caller, services),
    }
  }
  if (source.type === 'snapshot') {
    const { id } = await findSnapshot(services, String(source.snapshotId), caller)
    return { params: {}, source: { snapshotId: id, type: 'snapshot' } }
  }
  requireTable(caller, source.tableId, 'read')
  const { tableId, at } = source
  const table = await findTable(services, tableId)
  if (table.alias)
    throw new UserError(
      'storage.validation.timeTravelNotSupported',
      `The table "${tableId}" is an alias, which has no earlier states. Use its source table.`,
    )
  if (table.created > at) throw beforeTable(tableId, table, at)
  return {
    params: {},
    source: {
      sourceTableId: tableId,
      destinationTableName: name,
      timestamp: wireDate(at),
      type: 'timeTravel',
    },
  }
}

/** Error: 400 `storage.validation.primaryKey` for anything but a comma list. */
const readPrimaryKey = (primaryKey: unknown): string[] => {
  const parsed = text({ max: 20_000 }).default('').safeParse(primaryKey)
  if (!parsed.success)
    throw new UserError(
      'storage.validation.primaryKey',
      'The primary key must be a comma separated list of columns.',
    )
  return keyNames(readKeyColumns(parsed.data))
}

const MAX_NAME_LENGTH = 96

/**
 * The name of a new table, and its display name (by default the same).
 *
 * Error: 400 `storage.tables.validation`.
 */
export const checkTableName = ({
  name,
  displayName,
}: {
  name?: string | undefined
  displayName?: string | undefined
}): { name: string; displayName: string } => {
  if (!name) throw invalid('Table create option "name" is required and cannot be empty.')
  const reason = whyBad(name)
  if (reason) throw invalid(`Invalid table name: ${reason}`)
  if (!displayName) return { name, displayName: name }

  const displayReason = displayName.startsWith('_')
    ? `'${displayName.slice(0, 200)}' contains not allowed characters. Cannot start with underscore.`
    : whyBad(displayName)
  if (displayReason) throw invalid(`Invalid data - displayName: ${displayReason}`)
  return { name, displayName }
}

const whyBad = (name: string): string | undefined => {
  const shown = name.slice(0, 200)
  if (!hasNameCharacters(name))
    return `'${shown}' contains not allowed characters. Only alphanumeric characters dash and underscores are allowed.`
  return name.length > MAX_NAME_LENGTH
    ? `'${shown}' is longer than ${MAX_NAME_LENGTH} characters.`
    : undefined
}

const invalid = (message: string) => new UserError('storage.tables.validation', message)

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

/**
 * Creates an empty table with typed columns, by a job `tableDefinitionCreate`. Without any type it is an untyped table.
 */
routes.post('/v2/storage/buckets/{bucketId}/tables-definition', {
  summary: 'Create an empty table with typed columns',
  body: z.object({
    name: text({ max: 300 }).optional(),
    displayName: text({ max: 300 }).optional(),
    primaryKeysNames: textList({ itemMax: 255 }).default([]),
    columns: listOf(z.object(columnFields), { max: MAX_COLUMNS }).default([]),
  }),
  validationCode: 'storage.tables.validation',
  replies: { 202: 'The job `tableDefinitionCreate`', 404: 'There is no such bucket' },
  handle: async (request, services) => {
    const { bucketId } = request.params
    const { body } = request
    const primaryKeysNames = keyNames(body.primaryKeysNames)
    const { name, displayName } = checkTableName(body)
    const isTyped = body.columns.some(hasType)
    const columns = body.columns
      .map(column => ({ ...column, name: sanitizeColumnName(column.name) }))
      .map(column => readColumn(column, services, { isKey: primaryKeysNames.includes(column.name) }))
    const names = columns.map(column => column.name)
    if (names.length === 0)
      throw new UserError('storage.tables.validation.noColumns', 'A table needs at least one column.')
    refuseInvalidColumnNames(names)
    refuseUnknownKeyColumns(primaryKeysNames, names)
    const definition = { primaryKeysNames, columns }
    const tableId = `${bucketId}.${name}`
    return submitJob(request, services, {
      input: { operationName: 'tableDefinitionCreate', bucketId, name, displayName, definition, isTyped },
      queueTableId: tableId,
      admit: async () => {
        await findBucket(services, bucketId)
        if (await services.tables.getHead(tableId)) throw tableAlreadyExists(name, displayName)
        await refuseTakenName({ bucketId, name, displayName }, services.tables)
        return { params: { name, ...definition }, queue: 'main' }
      },
    })
  },
})

/** Clocks of clients differ by this much. */
const MOST_AHEAD_MS = 60_000

/**
 * The time of a table that is asked for. Dates of the API have no fractions of a second, so one without them means the end
 * of that second: the `lastChangeDate` of a table is the table with that change. Never later than now.
 *
 * Errors: 400 `storage.timetravel.invalid` for the future, `storage.tables.validation`.
 */
const readTimestamp = (timestamp: string, now: Date): Date => {
  const time = parseTime('timestamp', timestamp, now).getTime()
  if (time > now.getTime() + MOST_AHEAD_MS)
    throw new UserError('storage.timetravel.invalid', `The time ${timestamp.slice(0, 100)} is in the future.`)
  const endMs = time % 1000 === 0 ? time + 999 : time
  return new Date(Math.min(endMs, now.getTime()))
}
