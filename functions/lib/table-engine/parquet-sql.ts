import { quoteIdentifier, quoteList } from './sql.ts'

/** The column of every Parquet file of ours that holds the time of the load that last changed the row (UTC). */
export const TIMESTAMP_COLUMN = quoteIdentifier('_timestamp')

/** What DuckDB calls the place of a row in a scan of Parquet files; a column of the same name would hide it. */
const PLACE_COLUMNS = new Set(['filename', 'file_index', 'file_row_number'])

/**
 * The name of a table's column in our Parquet files, as an SQL identifier: its own, except where it would hide the
 * place of a row. No table has a column that begins with `_`.
 */
export const quoteColumn = (column: string): string =>
  quoteIdentifier(PLACE_COLUMNS.has(column.toLowerCase()) ? `_${column}` : column)

/**
 * The place of a row in `read_parquet([...])`: `file_index` counts the files of the list from 0, `file_row` the rows
 * of each file from 0.
 */
export const ROW_PLACE = 'file_index::BIGINT AS file_index, file_row_number::BIGINT AS file_row'

/** The rows of files that may lack columns which were added to the table after them. */
export const readParquet = (paths: string[]): string =>
  `read_parquet(${quoteList(paths)}, union_by_name = true)`
