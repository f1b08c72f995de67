import { z } from 'zod'
import { refuseTooLarge } from '../../lib/distributed/load-limits.ts'
import { UserError } from '../../lib/errors/errors.ts'
import type { FileRecord } from '../../lib/storage/files/file-store.ts'
import type { CsvOptions, InputOf } from '../../lib/storage/jobs/job-record.ts'
import { beforeTable, tableAlreadyExists } from '../../lib/storage/tables/table-errors.ts'
import { checkTableName, refuseTakenName } from '../../lib/storage/tables/update-table.ts'
import { keyNames, readKeyColumns } from '../../lib/wire/primary-key.ts'
import { wireDate } from '../../lib/wire/wire-date.ts'
import { findFile } from '../find/find-file.ts'
import { findBucket, findTable, refuseAlias } from '../find/find-table.ts'
import { flag, integer, text, textList } from '../http/fields.ts'
import { requireTable } from '../http/rights.ts'
import { routesOf } from '../http/route.ts'
import { type NewJob, submitJob } from '../jobs/submit-job.ts'
import type { Caller, Services } from '../services/services.ts'
import { findSnapshot } from '../snapshots/snapshots.ts'
import { readTimestamp } from './parse-time.ts'

export const routes = routesOf('tables')

/** Other sources of table data in the API, which are refused by name. */
const otherSources = [
  'dataUrl',
  'snapshotId',
  'sourceTableId',
  'dataWorkspaceId',
  'dataObject',
  'dataTableName',
] as const

/** The fields that say which file a load reads, and those of other sources. */
export const dataPlaceFields = {
  dataFileId: integer().optional(),
  dataUrl: z.unknown().optional().meta({ type: 'string' }),
  dataWorkspaceId: z.unknown().optional().meta({ type: 'string' }),
  dataObject: z.unknown().optional().meta({ type: 'string' }),
  dataTableName: z.unknown().optional().meta({ type: 'string' }),
}

/** The CSV settings of a request. */
export const csvFields = {
  delimiter: text({ max: 20 }).optional(),
  enclosure: text({ max: 20 }).optional(),
  escapedBy: text({ max: 20 }).optional(),
  columns: textList({ itemMax: 255 }).optional(),
  withoutHeaders: flag().optional(),
  ignoredLinesCount: integer({ max: 1_000_000 }).optional(),
  treatValuesAsNull: textList({ max: 1, itemMax: 1_000 }).optional(),
  types: z.enum(['text', 'detect']).optional(),
  textColumns: textList({ itemMax: 255 }).optional(),
  missingColumns: z.enum(['empty', 'emptyByKey']).optional(),
}

/** Fields for a new table (docs/reference/storage-api.md#create-a-table). */
export const createTableFields = z.object({
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
export const createTableJob = (
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

/** The id of the file. Errors: 501 `notImplemented`, 400 `storage.tables.validation`. */
export const readDataPlace = (
  body: { dataFileId?: number | undefined } & Record<string, unknown>,
): number => {
  if (body.dataFileId !== undefined) return body.dataFileId
  const other = otherSources.find(name => body[name] !== undefined && body[name] !== '')
  if (other !== undefined)
    throw new UserError(
      'notImplemented',
      `Tables cannot be loaded from "${other}" here. Upload the data as a file and use dataFileId.`,
    )
  throw new UserError('storage.tables.validation', 'Table data source is missing: "dataFileId" is required.')
}

/**
 * Checks that the caller may read it and that it is not too large to be loaded. Resolves to what a job shows of it. Errors: as `findFile` and `refuseTooLargeFile`.
 */
export const admitDataPlace = async (
  fileId: number,
  caller: Caller,
  services: Services,
): Promise<Record<string, unknown>> => {
  const file = await findFile(services.files, String(fileId), caller)
  await refuseTooLargeFile(file, services)
  return { fileId, fileName: file.name, type: 'file' }
}

/**
 * Refuses a file that no job would load, by what is stored now: 400 `storage.load.sliceTooLarge`.
 * The job looks again. It also says what else is wrong with the file: a file that is not whole yet may become so.
 */
const refuseTooLargeFile = async (
  file: FileRecord,
  { fileAccess, acceptedLoads }: Services,
): Promise<void> => {
  const slices = await fileAccess.slices(file).catch((error: unknown) => {
    if (error instanceof UserError) return undefined
    throw error
  })
  if (slices) await refuseTooLarge(slices, acceptedLoads)
}

/**
 * The settings with their defaults (comma, quote, no escape character). A tab may be written as `\t`. An escape
 * character replaces the doubling of the enclosure, so the two exclude each other.
 *
 * Errors: 400 `invalidCsv`, `csvImport.invalidCsvParams`.
 */
export const readCsvSettings = ({
  columns,
  withoutHeaders,
  ignoredLinesCount,
  treatValuesAsNull,
  types,
  textColumns,
  missingColumns,
  ...characters
}: z.output<z.ZodObject<typeof csvFields>>): CsvOptions => {
  const delimiter = characters.delimiter === '\\t' ? '\t' : characters.delimiter || ','
  const escapedBy = characters.escapedBy ?? ''
  if (escapedBy !== '' && characters.enclosure)
    throw new UserError('csvImport.invalidCsvParams', 'Only one of enclosure and escapedBy can be set.')
  const enclosure = characters.enclosure ?? (escapedBy === '' ? '"' : '')

  if (delimiter.length !== 1) throw notOne('delimiter', delimiter, ' (\\t for a tab)')
  if (enclosure.length > 1) throw notOne('enclosure', enclosure)
  if (escapedBy.length > 1) throw notOne('escape character', escapedBy)
  return {
    delimiter,
    enclosure,
    escapedBy,
    // Clients send an empty list when they mean none.
    ...(columns !== undefined && columns.length > 0 && { columns }),
    ...(withoutHeaders !== undefined && { withoutHeaders }),
    ...(ignoredLinesCount !== undefined && { ignoredLinesCount }),
    ...(treatValuesAsNull !== undefined && { treatValuesAsNull }),
    ...(types !== undefined && { types }),
    ...(textColumns !== undefined && { textColumns }),
    ...(missingColumns !== undefined && { missingColumns }),
  }
}

const notOne = (what: string, given: string, hint = ''): UserError =>
  new UserError('invalidCsv', `The ${what} must be one character${hint}, not ${JSON.stringify(given)}.`)
