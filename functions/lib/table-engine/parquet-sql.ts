import { quoteIdentifier, quoteList } from './sql.ts'

/** The column in each of our Parquet files with the time of the load that last changed the row (UTC). */
export const TIMESTAMP_COLUMN = quoteIdentifier('_timestamp')

/** DuckDB's name for the position of a row in a scan of Parquet files. A column of this name would hide it. */
const PLACE_COLUMNS = new Set(['filename', 'file_index', 'file_row_number'])

/**
 * The name of a table's column in our Parquet files. It is the column's own name unless that would hide the position of
 * a row. No column of a table begins with `_`.
 */
export const storedName = (column: string): string =>
  PLACE_COLUMNS.has(column.toLowerCase()) ? `_${column}` : column

/** {@link storedName} as an SQL identifier. */
export const quoteColumn = (column: string): string => quoteIdentifier(storedName(column))

/**
 * The position of a row in `read_parquet([...])`: `file_index` numbers the files of the list from 0, `file_row` the
 * rows of each file from 0.
 */
export const ROW_PLACE = 'file_index::BIGINT AS file_index, file_row_number::BIGINT AS file_row'

/** The rows of files that have the same columns. */
export const readParquet = (paths: string[]): string => `read_parquet(${quoteList(paths)})`
