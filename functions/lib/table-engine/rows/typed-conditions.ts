import { UserError } from '../../errors/errors.ts'
import { quoteColumn } from '../duckdb/parquet-sql.ts'
import type { TableField } from '../files/snapshot.ts'
import { valueLiteral } from '../types/cell-sql.ts'
import { readBound } from '../types/read-cell.ts'
import { describeProblem } from '../types/value-words.ts'

interface Comparison {
  operator: 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le'
  /** The operators but `eq` and `ne` use the first one. */
  values: string[]
}

interface Compared {
  /** As an SQL literal. */
  literal: string
  /** The value asked for lies between this one and the next that the column can hold. */
  isCut: boolean
}

/**
 * A condition on a column of a typed table, by value. An empty text stands for NULL, which is neither greater nor less
 * than anything and is not among the values of `ne`.
 *
 * Error: 400 `storage.backend.exception` for a text that is no value of the column's type.
 */
export const typedCondition = ({ operator, values }: Comparison, field: TableField): string => {
  const structure = field.rules?.structure
  if (structure !== undefined && values.some(value => value !== ''))
    throw new UserError(
      'storage.backend.exception',
      `Filtering by column "${field.name}" of type "${structure}" is not supported by the backend "Snowflake".`,
      { params: { column: field.name } },
    )
  const column = quoteColumn(field.name)
  const hasNull = values.includes('')
  const compared = values.filter(value => value !== '').map(value => readValue(value, field))
  const whole = compared.filter(({ isCut }) => !isCut).map(({ literal }) => literal)
  if (operator === 'eq')
    return anyOf([
      ...(hasNull ? [`${column} IS NULL`] : []),
      ...(whole.length > 0 ? [andNoNaN(`${column} IN (${whole.join(', ')})`, field)] : []),
    ])
  if (operator === 'ne') {
    const others = whole.length > 0 ? orNaN(`${column} NOT IN (${whole.join(', ')})`, field) : 'true'
    return values.length === 0 ? 'true' : `${column} IS NOT NULL AND ${others}`
  }
  const [first] = compared
  if (first === undefined || values[0] === '') return 'false'
  const comparison = `${column} ${sqlOperator(operator, first)} ${first.literal}`
  return operator === 'gt' || operator === 'ge' ? orNaN(comparison, field) : andNoNaN(comparison, field)
}

// NaN is above all numbers, and equal to none. DuckDB says so too, but believes the bounds of a Parquet file, which leave
// it out: it skips row groups that hold some, or takes whole ones without a look.

const orNaN = (comparison: string, { name, type }: TableField): string =>
  type === 'double' ? `(${comparison} OR isnan(${quoteColumn(name)}))` : comparison

const andNoNaN = (comparison: string, { name, type }: TableField): string =>
  type === 'double' ? `(${comparison} AND NOT isnan(${quoteColumn(name)}))` : comparison

const anyOf = (terms: string[]): string => terms.join(' OR ') || 'false'

/** What lies above 1.234 lies above 1.23 when the column has two digits, and what is at least 1.234 does too. */
const sqlOperator = (operator: Exclude<Comparison['operator'], 'eq' | 'ne'>, { isCut }: Compared): string => {
  if (operator === 'gt' || operator === 'le') return operator === 'gt' ? '>' : '<='
  if (operator === 'ge') return isCut ? '>' : '>='
  return isCut ? '<=' : '<'
}

const readValue = (text: string, field: TableField): Compared => {
  const read = text.includes('\0') ? { problem: 'notRecognized' as const } : readBound(text, field)
  if ('value' in read) return { literal: valueLiteral(field.type, read.value), isCut: 'isCut' in read }
  throw new UserError(
    'storage.backend.exception',
    `Filtering by column "${field.name}" is not possible: ${describeProblem(text, field, 'notRecognized')}`,
    { params: { column: field.name } },
  )
}
