import { UserError } from '../../errors/errors.ts'

interface CsvPosition {
  /** Names the file when there are several, such as `slice 2 of 3`. */
  source: string | undefined
  /** Number of bytes before it in the uncompressed file: the first byte is byte 0. */
  offset: number
  /** The first line of a file is line 1. */
  line: number
}

/** Says what is wrong in a CSV file, where, and what to do: `invalidCsv`, with the position in `params`. */
export const createCsvError = ({
  problem,
  advice,
  ...position
}: CsvPosition & { problem: string; advice?: string | undefined }): UserError =>
  new UserError(
    'invalidCsv',
    `The file is not valid CSV at ${formatPosition(position)}: ${problem}.${advice ? ` ${advice}.` : ''}`,
    { params: positionParams(position) },
  )

/** A record with too few or too many cells. Clients look for the words "Load error" and the numbers. */
export const createRaggedRecordError = ({
  cells,
  columns,
  isBlank,
  ...position
}: CsvPosition & { cells: number; columns: number; isBlank: boolean }): UserError =>
  new UserError(
    'invalidCsv',
    `Load error: Number of columns in file (${cells}) does not match that of the corresponding table (${columns}) ` +
      `at ${formatPosition(position)}. ${
        isBlank
          ? 'This line is blank: remove it.'
          : 'Correct this record, put cells that contain the delimiter or line breaks in quotes, and check the delimiter.'
      }`,
    { params: positionParams(position) },
  )

const formatPosition = ({ source, line, offset }: CsvPosition): string =>
  `${source === undefined ? '' : `${source}, `}line ${line}, byte ${offset}`

const positionParams = ({ source, line, offset }: CsvPosition): Record<string, unknown> => ({
  ...(source === undefined ? {} : { source }),
  line,
  byte: offset,
})
