import { z } from 'zod'
import { UserError } from '../../errors/errors.ts'

const csvPosition = z.object({
  /** Names the file when there are several, such as `slice 2 of 3`. */
  source: z.string().optional(),
  /** Number of bytes before it in the uncompressed file: the first byte is byte 0. */
  offset: z.number(),
  /** The first line of a file is line 1. */
  line: z.number(),
})

const wrongSyntax = csvPosition.extend({ problem: z.string(), advice: z.string().optional() })

/** A record with too few or too many cells. */
const raggedRecord = csvPosition.extend({ cells: z.number(), columns: z.number(), isBlank: z.boolean() })

/** What is wrong in a CSV file, and where. */
export const csvDefect = z.union([wrongSyntax, raggedRecord])

type CsvPosition = z.infer<typeof csvPosition>
export type CsvDefect = z.infer<typeof csvDefect>

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
export class CsvError extends UserError {
  readonly defect: CsvDefect

  constructor(defect: CsvDefect) {
    super('invalidCsv', 'cells' in defect ? raggedMessage(defect) : syntaxMessage(defect), {
      params: positionParams(defect),
    })
    this.defect = defect
  }
}

const syntaxMessage = ({ problem, advice, ...position }: z.infer<typeof wrongSyntax>): string =>
  `The file is not valid CSV at ${formatPosition(position)}: ${problem}.${advice ? ` ${advice}.` : ''}`

/** In the message of a record with too few or too many cells. */
export const COUNT_OF_TABLE = 'that of the corresponding table'

/** Clients look for the words "Load error" and the numbers. */
const raggedMessage = ({ cells, columns, isBlank, ...position }: z.infer<typeof raggedRecord>): string =>
  `Load error: Number of columns in file (${cells}) does not match ${COUNT_OF_TABLE} (${columns}) ` +
  `at ${formatPosition(position)}. ${
    isBlank
      ? 'This line is blank: remove it.'
      : 'Correct this record, put cells that contain the delimiter or line breaks in quotes, and check the delimiter.'
  }`

const formatPosition = ({ source, line, offset }: CsvPosition): string =>
  `${source === undefined ? '' : `${source}, `}line ${line}, byte ${offset}`

const positionParams = ({ source, line, offset }: CsvPosition): Record<string, unknown> => ({
  ...(source === undefined ? {} : { source }),
  line,
  byte: offset,
})
