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

/**
 * On our sample Zstandard at level 1 takes as long as Snappy (0.95 s of processor time for a million orders, most of it
 * for reading the CSV) and writes 42 % of the bytes. Higher levels cost more and gain nothing.
 *
 * DuckDB takes the memory of a whole dictionary page for each column of text as soon as a value comes twice, 1 MiB unless it is told
 * otherwise: more than a session has for 450 columns. So these share 32 MiB.
 */
export const parquetForm = (columns: number = WIDE_TABLE): string => {
  const page = Math.min(1024 ** 2, Math.max(16 * 1024, Math.floor((32 * 1024 ** 2) / columns)))
  return `FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, STRING_DICTIONARY_PAGE_SIZE_LIMIT ${page}`
}

/** Where nobody has counted the columns. */
const WIDE_TABLE = 512

/** The rows of files that have the same columns. */
export const readParquet = (paths: string[]): string => `read_parquet(${quoteList(paths)})`
