import type { DuckDbSession } from './duckdb-session.ts'
import { quoteColumn, readParquet, TIMESTAMP_COLUMN } from './parquet-sql.ts'
import { quoteIdentifier } from './sql.ts'

/**
 * Selects `columns` and the timestamp from Parquet files, with the position of each row.
 *
 * Columns that were added to the table after a file was written are empty there. The result is a SELECT of the columns
 * `quoteColumn(...)`, `_timestamp`, `file_index` (in `paths`, from 0) and `file_row` (in each file, from 0). For the
 * last two see {@link ROW_PLACE}.
 */
export const selectRows = async (
  session: DuckDbSession,
  { paths, columns }: { paths: string[]; columns: string[] },
): Promise<{ values: string; from: string }> => {
  // On one thread, because other statements that keep their order may be running.
  const description = await session.runInOrder(`DESCRIBE SELECT * FROM ${readParquet(paths)}`)
  const present = new Set(description.map(([name]) => quoteIdentifier(String(name))))
  const values = columns.map(column => {
    const name = quoteColumn(column)
    if (!present.has(name)) return `'' AS ${name}`
    // All rows of one file have its columns. Several files may differ.
    return paths.length === 1 ? name : `coalesce(${name}, '') AS ${name}`
  })
  return { values: [...values, TIMESTAMP_COLUMN].join(', '), from: readParquet(paths) }
}
