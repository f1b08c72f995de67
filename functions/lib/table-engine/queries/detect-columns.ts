import type { DuckDbSession } from '../duckdb/duckdb-session.ts'
import { quoteColumn } from '../duckdb/parquet-sql.ts'

/** From the narrowest on. `007` and `1e400` stay texts: as numbers they would be others. */
const TYPES = [
  ['BOOLEAN', '(?i)true|false'],
  ['BIGINT', String.raw`-?(0|[1-9]\d{0,17})`],
  ['DOUBLE', String.raw`-?(0|[1-9]\d{0,14})(\.\d{1,15})?([eE][+-]?\d{1,2})?`],
  ['DATE', String.raw`\d{4}-\d{2}-\d{2}`],
  ['TIMESTAMP', String.raw`\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(\.\d{1,6})?`],
] as const

/** Whether the cells of a column are all of each of the types; null: all are empty. */
export type TypeFlags = (boolean | null)[]

/** Of several parts of a column. */
export const joinFlags = (one: TypeFlags, other: TypeFlags): TypeFlags =>
  one.map((flag, index) => (flag === null ? (other[index] ?? null) : flag && (other[index] ?? true)))

export const typeOfFlags = (flags: TypeFlags): (typeof TYPES)[number][0] | undefined =>
  TYPES.find((_, index) => flags[index] === true)?.[0]

/** The type of each text column whose cells are all of one, or empty; by its name. */
export const detectColumns = async (
  session: Pick<DuckDbSession, 'query'>,
  columns: readonly string[],
  rows: string,
): Promise<Map<string, string>> => {
  const flags = columns.length === 0 ? [] : await columnFlags(session, columns, rows)
  return new Map(
    columns.flatMap((column, index) => {
      const type = typeOfFlags(flags[index] ?? [])
      return type ? [[column, type]] : []
    }),
  )
}

export const columnFlags = async (
  session: Pick<DuckDbSession, 'query'>,
  columns: readonly string[],
  rows: string,
): Promise<TypeFlags[]> => {
  const tests = columns.flatMap(column => {
    const value = quoteColumn(column)
    return TYPES.map(
      ([type, form]) =>
        `bool_and(regexp_full_match(${value}, '${form}') AND TRY_CAST(${value} AS ${type}) IS NOT NULL) FILTER (${value} <> '')`,
    )
  })
  const [found = []] = await session.query(`SELECT ${tests.join(', ')} FROM ${rows}`)
  return columns.map((_, index) =>
    found
      .slice(index * TYPES.length, (index + 1) * TYPES.length)
      .map(flag => (flag === null ? null : flag === true)),
  )
}

/** The text columns with numbers among their cells that their letters put in another order than their values. */
export const misorderedNumbers = async (
  session: Pick<DuckDbSession, 'query'>,
  columns: readonly string[],
  rows: string,
): Promise<string[]> => {
  if (columns.length === 0) return []
  const tests = columns.map(quoteColumn).map(
    cell => `bool_or(isfinite(TRY_CAST(${cell} AS DOUBLE)))
      AND NOT (bool_and(regexp_full_match(${cell}, '[0-9]+')) FILTER (${cell} <> '')
        AND min(strlen(${cell})) FILTER (${cell} <> '') = max(strlen(${cell})))`,
  )
  const [found = []] = await session.query(`SELECT ${tests.join(', ')} FROM ${rows}`)
  return columns.filter((_, index) => found[index] === true)
}
