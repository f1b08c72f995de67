import { UserError } from '../../errors/errors.ts'

/** How a CSV file separates and quotes its cells. Each value is the byte of one ASCII character. */
export interface CsvDialect {
  delimiter: number
  /** The quote around cells, doubled inside them. Undefined: no quoting. */
  enclosure: number | undefined
  /** The byte that makes the next byte literal. Undefined: none. Never set together with `enclosure`. */
  escapedBy: number | undefined
}

export interface CsvDialectOptions {
  /** Default `,`. One character, or the two characters `\t`. */
  delimiter?: string | undefined
  /** Default `"`, or none when `escapedBy` is given. Empty means none. */
  enclosure?: string | undefined
  /** Default: none. Empty means none. */
  escapedBy?: string | undefined
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

/** RFC 4180: commas, double quotes. */
export const RFC_4180: CsvDialect = { delimiter: 0x2c, enclosure: 0x22, escapedBy: undefined }

/**
 * Reads the parameters `delimiter`, `enclosure` and `escapedBy` of an import.
 *
 * Throws `UserError`: `invalidCsv` when one is longer than a character, `csvImport.invalidCsvParams` when they
 * contradict each other or are line breaks.
 */
export const parseCsvDialect = (options: CsvDialectOptions = {}): CsvDialect => {
  const delimiter = parseCharacter('delimiter', options.delimiter ?? ',')
  const escapedBy = parseCharacter('escapedBy', options.escapedBy ?? '')
  const enclosure = parseCharacter('enclosure', options.enclosure ?? (escapedBy === undefined ? '"' : ''))
  if (delimiter === undefined)
    throw invalidParams('The parameter "delimiter" must be one character, such as ",".')
  if (enclosure !== undefined && escapedBy !== undefined) {
    throw invalidParams(
      'Only one of the parameters "enclosure" and "escapedBy" can be used: leave one of them empty.',
    )
  }
  if (delimiter === enclosure || delimiter === escapedBy) {
    throw invalidParams('The parameter "delimiter" must differ from "enclosure" and "escapedBy".')
  }
  return { delimiter, enclosure, escapedBy }
}

const parseCharacter = (name: string, text: string): number | undefined => {
  if (text === '') return undefined
  const character = text === '\\t' ? '\t' : text
  if ([...character].length > 1) {
    throw new UserError(
      'invalidCsv',
      `The parameter "${name}" must be one character, not ${JSON.stringify(text)}.`,
    )
  }
  const byte = character.codePointAt(0) ?? 0
  if (byte > 0x7f || byte === 0 || byte === LINE_FEED || byte === CARRIAGE_RETURN) {
    throw invalidParams(`The parameter "${name}" must be an ASCII character other than NUL and line breaks.`)
  }
  return byte
}

const invalidParams = (message: string): UserError => new UserError('csvImport.invalidCsvParams', message)
