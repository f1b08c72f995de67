import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import type { CsvOptions } from '../../lib/storage/jobs/job-record.ts'
import { flag, integer, text, textList } from '../http/fields.ts'

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
