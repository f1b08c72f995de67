import { cutText } from '../cut-text.ts'
import { UserError } from '../errors/errors.ts'
import { parseCsvDialect } from './csv/csv-dialect.ts'
import { parseRecords } from './csv/parse-records.ts'
import type { ChunkOrigin, CsvChunk } from './csv/split-csv.ts'
import type { CsvForm } from './files/load-request.ts'
import type { PlacedField, TableField } from './files/snapshot.ts'
import { isMarked } from './types/marked-text.ts'
import { type CellProblem, readCell } from './types/read-cell.ts'
import { describeProblem, typeName } from './types/value-words.ts'

interface LoadedChunk {
  chunk: Pick<CsvChunk, 'origins'>
  /** Its bytes. */
  records: Buffer
  source: CsvForm
  /** The columns of the table. */
  columns: PlacedField[]
}

/**
 * The first cell of a chunk that its column cannot hold, as an error for the user: `rowTooLarge` for a number that is
 * out of range, `csvImport.requiredValue` for an empty cell where a value is needed, otherwise `csvImport.invalidValue`.
 * Undefined: all cells are right.
 *
 * Cell by cell, so only for chunks that DuckDB has refused.
 */
export const findBadCell = ({ chunk, records, source, columns }: LoadedChunk): UserError | undefined => {
  const nulls = new Set(['', ...(source.treatValuesAsNull ?? [])])
  const places = recordPlaces(chunk.origins ?? [])
  for (const cells of parseRecords(records, parseCsvDialect(source))) {
    const place = places.next(cells)
    for (const column of columns) {
      const cell = (column.cell === undefined ? undefined : cells[column.cell]) ?? ''
      const text = nulls.has(cell) ? '' : cell
      // Of a typed text an empty one is a value.
      const isEmptyText = source.isParquet === true && isMarked(text)
      if (isEmptyText && column.type === 'string' && !column.rules?.isTime) continue
      const problem = problemOf(isEmptyText ? text.slice(1) : text, column)
      if (problem) return valueError({ text: source.hidesCells ? '***' : text, column, problem, ...place })
    }
  }
  return undefined
}

const problemOf = (text: string, column: TableField): CellProblem | 'required' | undefined => {
  if (column.rules === undefined) return undefined
  if (text === '') {
    const { nullable, default: given } = column.rules
    return nullable || given !== undefined ? undefined : 'required'
  }
  const read = readCell(text, column)
  return 'problem' in read ? read.problem : undefined
}

interface Place {
  source: string | undefined
  line: number | undefined
  unit: 'line' | 'row'
}

/** Follows the lines of records: each takes one, and one more for each line break within its cells. A row takes one. */
const recordPlaces = (origins: ChunkOrigin[]) => {
  const rest = [...origins]
  let left = 0
  let source: string | undefined
  let line: number | undefined
  let unit: Place['unit'] = 'line'
  return {
    next(cells: string[]): Place {
      while (left === 0 && rest.length > 0) {
        const origin = rest.shift()
        left = origin?.records ?? 0
        source = origin?.source
        line = origin?.line
        unit = origin?.unit ?? 'line'
      }
      const place = { source, line, unit }
      left--
      const breaks = unit === 'row' ? 0 : cells.reduce((sum, cell) => sum + cell.split('\n').length - 1, 0)
      if (line !== undefined) line += 1 + breaks
      return place
    },
  }
}

interface BadCell extends Place {
  text: string
  column: PlacedField
  problem: CellProblem | 'required'
}

const CODES = {
  required: 'csvImport.requiredValue',
  outOfRange: 'rowTooLarge',
  notRecognized: 'csvImport.invalidValue',
  tooLong: 'csvImport.invalidValue',
} as const

const SHOWN_CHARACTERS = 100

const valueError = ({ text, column, problem, source, line, unit }: BadCell): UserError => {
  const where = [source, line === undefined ? undefined : `${unit} ${line}`, `column "${column.name}"`]
  const what =
    problem === 'required'
      ? `Load error: Required field ${column.name} cannot be null`
      : `${problem === 'notRecognized' ? 'Table import error: ' : ''}Load error: An exception occurred while executing a query: ${describeProblem(text, column, problem)}`
  return new UserError(
    CODES[problem],
    `${what}\n  In ${where.filter(Boolean).join(', ')}, whose type is ${typeName(column)}${column.typeInFile === undefined ? '' : `, and ${column.typeInFile} in the file`}. Nothing was loaded.`,
    {
      params: {
        ...(source !== undefined && { source }),
        ...(line !== undefined && { [unit]: line }),
        column: column.name,
        value: cutText(text, SHOWN_CHARACTERS),
        type: typeName(column),
      },
    },
  )
}
