import { z } from 'zod'
import { refuseTooLarge } from '../../lib/distributed/load-limits.ts'
import { UserError } from '../../lib/errors/errors.ts'
import type { FileRecord } from '../../lib/storage/files/file-store.ts'
import type { CsvOptions } from '../../lib/storage/jobs/job-record.ts'
import { findFile } from '../find/find-file.ts'
import { flag, integer, text, textList } from '../http/fields.ts'
import type { Caller, Services } from '../services/services.ts'

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
