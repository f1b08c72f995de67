import { UserError } from '../../errors/errors.ts'
import { quoteColumn, TIMESTAMP_COLUMN } from '../duckdb/parquet-sql.ts'
import { quoteLiteral, quoteTimestamp } from '../duckdb/sql.ts'
import { isTypedTable, type Snapshot, type TableField } from '../files/snapshot.ts'
import { castSql, textSql, valueLiteral } from '../types/cell-sql.ts'
import { isTyped } from '../types/field-type.ts'
import { readBound } from '../types/read-cell.ts'
import { describeProblem } from '../types/value-words.ts'

/** The type to order a column's text as. Text that is not of this type counts as missing. */
export const orderTypes = ['INTEGER', 'DOUBLE', 'BIGINT', 'REAL', 'DECIMAL', 'TIMESTAMP'] as const

/** What people say that texts are, read as cells of typed tables are; see `written-condition.ts`. */
export const saidTypes = ['NUMBER', 'DATE', 'MOMENT', 'TEXT'] as const

type OrderType = (typeof orderTypes)[number]
export type SaidType = (typeof saidTypes)[number]
type ComparisonType = OrderType | SaidType

export const operators = ['eq', 'ne', 'gt', 'ge', 'lt', 'le'] as const

/** A condition on one column: `eq` any of the values, `ne` none of them. The other operators use the first value. */
export interface Filter {
  column: string
  operator: (typeof operators)[number]
  values: string[]
  /** Default: compare by the type of the column, in an untyped table as text. */
  dataType?: ComparisonType
}

export interface OrderBy {
  column: string
  order: 'ASC' | 'DESC'
  /** Default: order by the type of the column, in an untyped table as text. Not for typed tables. */
  dataType?: OrderType
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

/** What lies above 1.234 lies above 1.23 when the column has two digits, and what is at least 1.234 does too. */
const OPERATORS_OF_CUT: Record<keyof typeof SQL_OPERATORS, string> = { gt: '>', ge: '>', lt: '<=', le: '<=' }

/** DuckDB has 38 digits: 29 before the point and 9 after it. Whole numbers have all of them, whatever the word for their type. */
const SQL_TYPES: Record<OrderType, string> = {
  INTEGER: 'DECIMAL(38, 0)',
  BIGINT: 'DECIMAL(38, 0)',
  REAL: 'REAL',
  DOUBLE: 'DOUBLE',
  DECIMAL: 'DECIMAL(38, 9)',
  TIMESTAMP: 'TIMESTAMP',
}

/** The conditions on the rows of `scanFiles`, for WHERE. `undefined`: all rows. */
export const conditionsSql = (
  { where = [], changedSince, changedUntil, fulltextSearch, searchedColumns }: RowConditions,
  { fields }: Pick<Snapshot, 'fields'>,
): string | undefined => {
  const byName = new Map(fields.map(field => [field.name, field]))
  const all = [
    ...where.map(filter => condition(filter, byName.get(filter.column))),
    ...(changedSince ? [`${TIMESTAMP_COLUMN} >= ${quoteTimestamp(changedSince)}`] : []),
    ...(changedUntil ? [`${TIMESTAMP_COLUMN} < ${quoteTimestamp(changedUntil)}`] : []),
    ...(fulltextSearch === undefined
      ? []
      : [
          containsText(
            fulltextSearch,
            fields.filter(({ name }) => searchedColumns?.includes(name) ?? true),
          ),
        ]),
  ]
  return all.length === 0 ? undefined : all.map(term => `(${term})`).join(' AND ')
}

const condition = (filter: Filter, field: TableField | undefined): string => {
  const { column, operator, values, dataType } = filter
  if (field && comparesByType(field, dataType)) return typedCondition(filter, field)
  const left = comparable(isSaid(dataType) && field ? textOf(field) : quoteColumn(column), dataType)
  const right = values.map(value => comparable(quoteUserText(value), dataType))
  if (operator === 'eq') return right.length === 0 ? 'false' : `${left} IN (${right.join(', ')})`
  if (operator === 'ne') return right.length === 0 ? 'true' : `${left} NOT IN (${right.join(', ')})`
  return right[0] === undefined ? 'false' : `${left} ${SQL_OPERATORS[operator]} ${right[0]}`
}

/** Numbers given for a column of numbers are numbers without a word about it, and times for a column of times. */
const comparesByType = (field: TableField, dataType: ComparisonType | undefined): boolean =>
  isTyped(field) && !isSaid(dataType) && (dataType === undefined || field.type !== 'string')

const isSaid = (dataType: ComparisonType | undefined): dataType is SaidType =>
  saidTypes.some(type => type === dataType)

const textOf = (field: TableField): string => textSql(quoteColumn(field.name), field)

/** The texts of a column that a condition cannot compare, since they are not of the type that it says: they never match it. */
export const uncomparable = (
  { dataType }: Filter,
  field: TableField,
): { type: SaidType; text: string; sql: string } | undefined => {
  if (!isSaid(dataType)) return undefined
  const text = textOf(field)
  return { type: dataType, text, sql: `${text} <> '' AND ${comparable(text, dataType)} IS NULL` }
}

const containsText = (text: string, fields: TableField[]): string => {
  const wanted = `lower(${quoteUserText(text)})`
  const texts = fields.map(textOf)
  return texts.map(value => `contains(lower(${value}), ${wanted})`).join(' OR ') || 'false'
}

/**
 * The rows of `scanFiles` are called so where they are ordered: in ORDER BY, a plain name would mean the column of that
 * name in the result, which is the text of a number, for example.
 */
export const ORDERED_ROWS = 'source'

/** The terms of ORDER BY: rows that are equal keep the order of the table. */
export const orderSql = (table: Pick<Snapshot, 'fields'>, orderBy: OrderBy[]): string =>
  [
    ...orderBy.map(orderTerm(table)),
    ...['file_index', 'file_row'].map(place => `${ORDERED_ROWS}.${place}`),
  ].join(', ')

/** Error: 400 `storage.tables.validation` for a data type in a typed table. */
const orderTerm =
  (table: Pick<Snapshot, 'fields'>) =>
  ({ column, order, dataType }: OrderBy): string => {
    if (dataType !== undefined && isTypedTable(table))
      throw new UserError(
        'storage.tables.validation',
        'Specifying data type for ordered column is not supported for typed tables',
      )
    return `${comparable(`${ORDERED_ROWS}.${quoteColumn(column)}`, dataType)} ${order} NULLS LAST`
  }

const comparable = (sql: string, dataType: ComparisonType | undefined): string => {
  if (dataType === undefined || dataType === 'TEXT') return sql
  if (dataType === 'DATE') return castSql(sql, 'date')
  if (dataType === 'MOMENT') return castSql(sql, 'timestamptz')
  if (dataType !== 'NUMBER') return `TRY_CAST(${sql} AS ${SQL_TYPES[dataType]})`
  // Whole numbers beyond 2^53 that are one as a double differ as decimals.
  const double = castSql(sql, 'double')
  return `CASE WHEN ${double} IS NOT NULL THEN row(${double}, TRY_CAST(${sql} AS DECIMAL(38, 9))) END`
}

const quoteUserText = (text: string): string => {
  if (text.includes('\0')) {
    throw new UserError('storage.tables.validation', 'A value to compare with cannot hold a NUL character.')
  }
  return quoteLiteral(text)
}

/** Error: 400 `storage.tables.validation.columnNotExists`. */
export const refuseUnknownColumns = (tableColumns: string[], columns: string[]): void =>
  refuseUnknown(
    tableColumns,
    columns,
    unknown =>
      `The table has no column ${JSON.stringify(unknown)}. Its columns are: ${tableColumns.join(', ')}.`,
  )

interface NamesColumns extends RowConditions {
  orderBy?: readonly { column: string }[]
}

/** The columns that conditions and order name: they must be there, must be shown to the caller, and must be read. */
export const namedColumns = ({ where = [], orderBy = [] }: NamesColumns): string[] =>
  [...where, ...orderBy].map(({ column }) => column)

/** The same for the columns of conditions and order, with the sentence that clients of the hosted service know. */
export const refuseUnknownConditions = (tableColumns: string[], conditions: NamesColumns): void =>
  refuseUnknown(
    tableColumns,
    namedColumns(conditions),
    unknown => `Can't filter by column ${unknown}, column does not exist`,
  )

const refuseUnknown = (
  tableColumns: string[],
  columns: string[],
  sentence: (unknown: string) => string,
): void => {
  const known = new Set(tableColumns)
  const unknown = columns.find(column => !known.has(column))
  if (unknown === undefined) return
  throw new UserError('storage.tables.validation.columnNotExists', sentence(unknown), {
    params: { column: unknown },
  })
}

type Comparison = Pick<Filter, 'operator' | 'values'>

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
const typedCondition = ({ operator, values }: Comparison, field: TableField): string => {
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
  const sqlOperator = (first.isCut ? OPERATORS_OF_CUT : SQL_OPERATORS)[operator]
  const comparison = `${column} ${sqlOperator} ${first.literal}`
  return operator === 'gt' || operator === 'ge' ? orNaN(comparison, field) : andNoNaN(comparison, field)
}

// NaN is above all numbers, and equal to none. DuckDB says so too, but believes the bounds of a Parquet file, which leave
// it out: it skips row groups that hold some, or takes whole ones without a look.

const orNaN = (comparison: string, { name, type }: TableField): string =>
  type === 'double' ? `(${comparison} OR isnan(${quoteColumn(name)}))` : comparison

const andNoNaN = (comparison: string, { name, type }: TableField): string =>
  type === 'double' ? `(${comparison} AND NOT isnan(${quoteColumn(name)}))` : comparison

const anyOf = (terms: string[]): string => terms.join(' OR ') || 'false'

const readValue = (text: string, field: TableField): Compared => {
  const read = text.includes('\0') ? { problem: 'notRecognized' as const } : readBound(text, field)
  if ('value' in read) return { literal: valueLiteral(field.type, read.value), isCut: 'isCut' in read }
  throw new UserError(
    'storage.backend.exception',
    `Filtering by column "${field.name}" is not possible: ${describeProblem(text, field, 'notRecognized')}`,
    { params: { column: field.name } },
  )
}
