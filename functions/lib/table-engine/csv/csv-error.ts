import { UserError } from '../../errors/errors.ts'

interface CsvPosition {
  /** Names the file when there are several, such as `slice 2 of 3`. */
  source: string | undefined
  /** Number of bytes before it in the uncompressed file: the first byte is byte 0. */
  offset: number
  /** The first line of a file is line 1. */
  line: number
}

export const PROBLEMS = {
  strayQuote: {
    problem: 'A quote inside a cell that does not begin with one',
    advice: 'Put the whole cell in quotes and double the quotes inside it',
  },
  textAfterQuote: {
    problem: 'Text between a closing quote and the end of its cell',
    advice: 'Double the quotes inside the cell, and check the delimiter',
  },
  loneReturn: {
    problem: 'A carriage return without a line feed outside quotes',
    advice: 'End lines with LF or CRLF, and put cells that contain line breaks in quotes',
  },
  unclosedQuote: {
    problem: 'The quote that opens here is never closed',
    advice: 'Close it, or double it if it belongs to the text',
  },
  escapeAtEnd: { problem: 'The file ends with an escape character that escapes nothing' },
} as const

/** Says what is wrong in a CSV file, where, and what to do: `invalidCsv`, with the position in `params`. */
export const wrongSyntax = ({
  problem,
  advice,
  ...position
}: CsvPosition & { problem: string; advice?: string }): UserError =>
  invalidCsv(
    position,
    `The file is not valid CSV at ${formatPosition(position)}: ${problem}.${advice ? ` ${advice}.` : ''}`,
  )

/** In the message of a record with too few or too many cells. */
export const COUNT_OF_TABLE = 'that of the corresponding table'

/** The same of a record with too few or too many cells. Clients look for the words "Load error" and the numbers. */
export const raggedRecord = ({
  cells,
  columns,
  isBlank,
  ...position
}: CsvPosition & { cells: number; columns: number; isBlank: boolean }): UserError =>
  invalidCsv(
    position,
    `Load error: Number of columns in file (${cells}) does not match ${COUNT_OF_TABLE} (${columns}) ` +
      `at ${formatPosition(position)}. ${
        isBlank
          ? 'This line is blank: remove it.'
          : 'Correct this record, put cells that contain the delimiter or line breaks in quotes, and check the delimiter.'
      }`,
  )

const formatPosition = ({ source, line, offset }: CsvPosition): string =>
  `${source === undefined ? '' : `${source}, `}line ${line}, byte ${offset}`

const invalidCsv = ({ source, line, offset }: CsvPosition, message: string): UserError =>
  new UserError('invalidCsv', message, {
    params: { ...(source === undefined ? {} : { source }), line, byte: offset },
  })
