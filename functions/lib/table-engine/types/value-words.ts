import { cutText } from '../../cut-text.ts'
import { decimalOf } from '../../iceberg/metadata/types.ts'
import type { CellType } from './field-type.ts'
import type { CellProblem } from './read-cell.ts'

const SHOWN_CHARACTERS = 100

const shorten = (text: string): string =>
  text.length <= SHOWN_CHARACTERS ? text : `${cutText(text, SHOWN_CHARACTERS)}…`

const kindOf = ({ type, rules }: CellType): string => {
  if (rules?.isTime) return 'Time'
  if (type === 'boolean') return 'Boolean'
  if (type === 'date') return 'Date'
  if (type === 'timestamp' || type === 'timestamptz') return 'Timestamp'
  return type === 'string' ? 'String' : 'Numeric'
}

/** Why a text is no value of a column, in the hosted service's words. A long text is cut. */
export const describeProblem = (text: string, cell: CellType, problem: CellProblem): string => {
  const shown = `'${shorten(text)}'`
  if (problem === 'tooLong')
    return `User character length limit (${cell.rules?.maxLength}) exceeded by string ${shown}`
  const value = `${kindOf(cell)} value ${shown}`
  const named = kindOf(cell) === 'Numeric' || kindOf(cell) === 'Boolean' ? value : `${kindOf(cell)} ${shown}`
  return problem === 'outOfRange' ? `${named} is out of range` : `${named} is not recognized`
}

/** A type as people write it: `DECIMAL(10,2)`, `VARCHAR(20)`. */
export const typeName = ({ type, rules }: CellType): string => {
  const decimal = decimalOf(type)
  if (decimal) return `NUMBER(${decimal.precision},${decimal.scale})`
  if (rules?.isTime) return 'TIME'
  if (type === 'string') return rules?.maxLength === undefined ? 'VARCHAR' : `VARCHAR(${rules.maxLength})`
  return NAMES[type as keyof typeof NAMES]
}

const NAMES = {
  long: 'NUMBER(38,0), at most 64 bits',
  double: 'FLOAT',
  boolean: 'BOOLEAN',
  date: 'DATE, as 2026-11-21',
  timestamp: 'TIMESTAMP_NTZ, as 2026-11-21 12:30:00.000, at most six digits of a second, no zone but UTC',
  timestamptz: 'TIMESTAMP_TZ, as 2026-11-21 12:30:00.000 +0100, at most six digits of a second',
} as const
