import { UserError } from '../errors/errors.ts'
import { quoteColumn, TIMESTAMP_COLUMN } from './parquet-sql.ts'
import { quoteLiteral, quoteTimestamp } from './sql.ts'

/** The type to compare or order a column's text as. Text that is not of this type counts as missing. */
type ComparisonType = 'INTEGER' | 'DOUBLE' | 'BIGINT' | 'REAL' | 'DECIMAL' | 'TIMESTAMP'

/** A condition on one column: `eq` any of the values, `ne` none of them. The other operators use the first value. */
export interface Filter {
  column: string
  operator: 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le'
  values: string[]
  /** Default: compare as text. */
  dataType?: ComparisonType
}

export interface OrderBy {
  column: string
  order: 'ASC' | 'DESC'
  /** Default: order as text. */
  dataType?: ComparisonType
}

/** Selects rows of a table. All given conditions must hold. */
export interface RowConditions {
  where?: Filter[]
  /** Rows that a load changed at or after this time. */
  changedSince?: Date
  /** Rows that were last changed before this time. */
  changedUntil?: Date
  /** Rows with this text in one of their columns, ignoring case. */
  fulltextSearch?: string
  /** The columns in which that text is searched; default: all. */
  searchedColumns?: string[]
}

const SQL_OPERATORS = { gt: '>', ge: '>=', lt: '<', le: '<=' } as const

/** DuckDB has 38 digits: 29 before the point and 9 after it. */
const SQL_TYPES: Record<ComparisonType, string> = {
  INTEGER: 'INTEGER',
  BIGINT: 'BIGINT',
  REAL: 'REAL',
  DOUBLE: 'DOUBLE',
  DECIMAL: 'DECIMAL(38, 9)',
  TIMESTAMP: 'TIMESTAMP',
}

/** The conditions on the rows of `selectRows`, for WHERE. `undefined`: all rows. */
export const conditionsSql = (
  { where = [], changedSince, changedUntil, fulltextSearch, searchedColumns }: RowConditions,
  tableColumns: string[],
): string | undefined => {
  const all = [
    ...where.map(condition),
    ...(changedSince ? [`${TIMESTAMP_COLUMN} >= ${quoteTimestamp(changedSince)}`] : []),
    ...(changedUntil ? [`${TIMESTAMP_COLUMN} < ${quoteTimestamp(changedUntil)}`] : []),
    ...(fulltextSearch === undefined ? [] : [containsText(fulltextSearch, searchedColumns ?? tableColumns)]),
  ]
  return all.length === 0 ? undefined : all.map(term => `(${term})`).join(' AND ')
}

const condition = ({ column, operator, values, dataType }: Filter): string => {
  const left = comparable(quoteColumn(column), dataType)
  const right = values.map(value => comparable(quoteUserText(value), dataType))
  if (operator === 'eq') return right.length === 0 ? 'false' : `${left} IN (${right.join(', ')})`
  if (operator === 'ne') return right.length === 0 ? 'true' : `${left} NOT IN (${right.join(', ')})`
  return right[0] === undefined ? 'false' : `${left} ${SQL_OPERATORS[operator]} ${right[0]}`
}

const containsText = (text: string, columns: string[]): string => {
  const wanted = `lower(${quoteUserText(text)})`
  return columns.map(column => `contains(lower(${quoteColumn(column)}), ${wanted})`).join(' OR ') || 'false'
}

/** One term of ORDER BY. */
export const orderTerm = ({ column, order, dataType }: OrderBy): string =>
  `${comparable(quoteColumn(column), dataType)} ${order === 'DESC' ? 'DESC' : 'ASC'} NULLS LAST`

const comparable = (sql: string, dataType: ComparisonType | undefined): string =>
  dataType === undefined ? sql : `TRY_CAST(${sql} AS ${SQL_TYPES[dataType]})`

const quoteUserText = (text: string): string => {
  if (text.includes('\0')) {
    throw new UserError('storage.tables.validation', 'A value to compare with cannot hold a NUL character.')
  }
  return quoteLiteral(text)
}

/** Error: 400 `storage.tables.validation.columnNotExists`. */
export const refuseUnknownColumns = (tableColumns: string[], columns: string[]): void => {
  const known = new Set(tableColumns)
  const unknown = columns.find(column => !known.has(column))
  if (unknown === undefined) return
  throw new UserError(
    'storage.tables.validation.columnNotExists',
    `The table has no column ${JSON.stringify(unknown)}. Its columns are: ${tableColumns.join(', ')}.`,
    { params: { column: unknown } },
  )
}
