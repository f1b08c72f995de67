import type { DuckDbSession } from '../duckdb/duckdb-session.ts'
import { quoteColumn } from '../duckdb/parquet-sql.ts'

/** From the narrowest on. `007` and `1e400` stay texts: as numbers they would be others. */
const TYPES = [
  ['BIGINT', String.raw`-?(0|[1-9]\d{0,17})`],
  ['DOUBLE', String.raw`-?(0|[1-9]\d{0,14})(\.\d{1,15})?([eE][+-]?\d{1,2})?`],
  ['DATE', String.raw`\d{4}-\d{2}-\d{2}`],
  ['TIMESTAMP', String.raw`\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(\.\d{1,6})?`],
] as const

/** The type of each text column whose cells are all of one, or empty; by its name. */
export const detectColumns = async (
  session: Pick<DuckDbSession, 'query'>,
  columns: readonly string[],
  rows: string,
): Promise<Map<string, string>> => {
  const detected = new Map<string, string>()
  if (columns.length === 0) return detected
  const tests = columns.flatMap(column => {
    const value = quoteColumn(column)
    return TYPES.map(
      ([type, form]) =>
        `bool_and(regexp_full_match(${value}, '${form}') AND TRY_CAST(${value} AS ${type}) IS NOT NULL) FILTER (${value} <> '')`,
    )
  })
  const [found = []] = await session.query(`SELECT ${tests.join(', ')} FROM ${rows}`)
  for (const [index, column] of columns.entries()) {
    const type = TYPES.find((_, place) => found[index * TYPES.length + place] === true)
    if (type) detected.set(column, type[0])
  }
  return detected
}
