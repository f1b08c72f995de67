import { decimalOf, type FieldType } from '../../iceberg/metadata/types.ts'
import { quoteList, quoteLiteral } from '../duckdb/sql.ts'
import { type CellRules, type CellType, duckDbType, isLoadTime } from './field-type.ts'
import { isMarkedSql, unmarkSql } from './marked-text.ts'
import { FALSE_WORDS, FIRST_MICROS, LAST_MICROS, patterns, readCell, TRUE_WORDS } from './read-cell.ts'

/** Ends the statement. Which cell it was is then found by `findBadCell`. */
const WRONG = "error('cell')"

/**
 * The value of a cell's text in SQL, exactly as `readCell` reads it. An empty cell is NULL, or the default where NULL is
 * not allowed. A wrong cell ends the statement.
 */
export const cellSql = (cell: string, { type, rules }: CellType, loadedAt: Date): string => {
  if (rules === undefined) return cell
  return `CASE WHEN ${cell} = '' THEN ${emptySql({ type, rules }, loadedAt)}
    ${valueCases(cell, type, rules)} ELSE ${WRONG} END`
}

/** The same of a file that keeps NULL and the empty text apart. */
export const markedCellSql = (cell: string, type: CellType, loadedAt: Date): string => {
  const isText = type.type === 'string' && type.rules !== undefined && !type.rules.isTime
  const plain = isText ? cellSql(cell, type, loadedAt) : cell
  const text = `CASE WHEN ${isMarkedSql(cell)} THEN ${unmarkSql(cell)} ELSE ${plain} END`
  return isText ? text : cellSql(text, type, loadedAt)
}

/** The same for a text of any column: NULL where it is empty or no value of the type. */
export const castSql = (cell: string, type: FieldType): string =>
  `CASE WHEN ${cell} = '' THEN NULL ${valueCases(cell, type, { nullable: true }).replaceAll(WRONG, 'NULL')} END`

const emptySql = (cell: CellType & { rules: CellRules }, loadedAt: Date): string =>
  cell.rules.nullable ? `NULL::${duckDbType(cell.type)}` : defaultSql(cell, loadedAt)

/** The default of a column as a literal. A column without one refuses the cell. */
export const defaultSql = ({ type, rules }: CellType, loadedAt: Date): string => {
  const given = rules?.default
  if (given === undefined) return WRONG
  const text = isLoadTime(given) ? loadTime(loadedAt, { type, rules }) : given
  const read = readCell(text, { type, rules })
  return 'value' in read ? valueLiteral(type, read.value) : WRONG
}

const loadTime = (loadedAt: Date, { type, rules }: CellType): string => {
  const [day = '', time = ''] = loadedAt.toISOString().replace('Z', '').split('T')
  if (rules?.isTime) return time
  return type === 'date' ? day : `${day} ${time}`
}

const isLike = (cell: string, pattern: string): string =>
  `regexp_full_match(${cell}, ${quoteLiteral(pattern)})`
const isDay = (cell: string): string => `NOT starts_with(${cell}, '0000')`
const orWrong = (value: string): string => `coalesce(${value}, ${WRONG})`
const when = (conditions: string[], value: string): string => `WHEN ${conditions.join(' AND ')} THEN ${value}`

const valueCases = (cell: string, type: FieldType, { maxLength, isTime, isRounded }: CellRules): string => {
  const decimal = decimalOf(type)
  if (decimal) {
    const value = `TRY_CAST(${cell} AS ${duckDbType(type)})`
    return when([isLike(cell, decimalPattern(decimal.scale, isRounded))], orWrong(value))
  }
  switch (type) {
    case 'long':
      return when(
        [isLike(cell, isRounded ? LONG_ROUNDED : LONG)],
        orWrong(
          isRounded
            ? `TRY_CAST(TRY_CAST(${cell} AS DECIMAL(38, 0)) AS BIGINT)`
            : `TRY_CAST(split_part(${cell}, '.', 1) AS BIGINT)`,
        ),
      )
    case 'double': {
      const value = `TRY_CAST(${cell} AS DOUBLE)`
      return when(
        [isLike(cell, patterns.double)],
        orWrong(`CASE WHEN isfinite(${value}) THEN ${value} + 0.0::DOUBLE END`),
      )
    }
    case 'boolean':
      return [
        when([`lower(${cell}) IN ${quoteList(TRUE_WORDS)}`], 'true'),
        when([`lower(${cell}) IN ${quoteList(FALSE_WORDS)}`], 'false'),
      ].join(' ')
    case 'date':
      return when([isLike(cell, patterns.date), isDay(cell)], orWrong(`TRY_CAST(${cell} AS DATE)`))
    case 'timestamp':
      return when([isLike(cell, patterns.timestamp), isDay(cell)], orWrong(wallTime(cell)))
    case 'timestamptz':
      return when([isLike(cell, patterns.timestamptz), isDay(cell)], orWrong(instant(cell)))
    default:
      if (isTime) return when([isLike(cell, patterns.time)], `CAST(CAST(${cell} AS TIME) AS VARCHAR)`)
      // Bytes first: they are counted already.
      return when(
        [
          maxLength === undefined
            ? 'true'
            : `(strlen(${cell}) <= ${maxLength} OR length(${cell}) <= ${maxLength})`,
        ],
        cell,
      )
  }
}

/** Whole numbers have a digit before their point, decimals need none. */
const LONG = '[+-]?[0-9]+(?:\\.0*)?'
const LONG_ROUNDED = '[+-]?[0-9]+(?:\\.[0-9]*)?'

/** No digits beyond the scale but zeros, where numbers are not to be rounded: DuckDB would. */
const decimalPattern = (scale: number, isRounded: boolean | undefined): string => {
  if (isRounded) return patterns.decimal
  return scale === 0
    ? '[+-]?(?:[0-9]+(?:\\.0*)?|\\.0+)'
    : `[+-]?(?:[0-9]+(?:\\.[0-9]{0,${scale}}0*)?|\\.[0-9]{1,${scale}}0*)`
}

/** The time without its zone. A day alone ends like an offset. */
const wallTime = (cell: string): string =>
  `TRY_CAST(CASE WHEN strlen(${cell}) = 10 THEN ${cell}
    ELSE regexp_replace(${cell}, ' ?(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)$', '') END AS TIMESTAMP)`

/** Offsets by arithmetic: DuckDB's own cast takes a calendar for each row, and does not read all forms. */
const instant = (cell: string): string => {
  const part = (group: number): string =>
    `regexp_extract(${cell}, '[0-9](?: ?)([+-])([0-9]{2}):?([0-9]{2})?$', ${group})`
  const number = (group: number): string => `coalesce(TRY_CAST(${part(group)} AS BIGINT), 0)`
  const minutes = `CASE WHEN strlen(${cell}) = 10 THEN 0
    ELSE (CASE WHEN ${part(1)} = '-' THEN -1 ELSE 1 END) * (${number(2)} * 60 + ${number(3)}) END`
  const micros = `epoch_us(${wallTime(cell)}) - (${minutes}) * 60000000`
  return `CASE WHEN (${micros}) BETWEEN ${FIRST_MICROS} AND ${LAST_MICROS} THEN make_timestamptz(${micros}) END`
}

/** A value in the form of `ReadCell` as an SQL literal. */
export const valueLiteral = (type: FieldType, value: string): string => {
  if (type === 'timestamptz')
    return `make_timestamptz(epoch_us(${valueLiteral('timestamp', value.replace('Z', ''))}))`
  return type === 'string' ? quoteLiteral(value) : `${quoteLiteral(value)}::${duckDbType(type)}`
}

/** The one text form of a column's values (docs/tables.md, "Typed tables"). NULL stays NULL. */
export const textSql = (column: string, { type }: CellType): string => {
  switch (type) {
    case 'string':
      return column
    case 'double':
      // DuckDB writes a whole number as `100.0`.
      return `regexp_replace(CAST(${column} AS VARCHAR), '\\.0$', '')`
    case 'timestamp':
      return timestampText(column)
    case 'timestamptz':
      return `${timestampText(`make_timestamp(epoch_us(${column}))`)} || ' +0000'`
    default:
      return `CAST(${column} AS VARCHAR)`
  }
}

/** Three digits of a second, or six where they are needed. */
const timestampText = (column: string): string => {
  const text = `strftime(${column}, '%Y-%m-%d %H:%M:%S.%f')`
  return `CASE WHEN epoch_us(${column}) % 1000 = 0 THEN left(${text}, -3) ELSE ${text} END`
}
