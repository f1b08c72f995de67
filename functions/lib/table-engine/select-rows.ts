import type { DuckDbSession } from './duckdb-session.ts'
import { quoteColumn, readParquet, TIMESTAMP_COLUMN } from './parquet-sql.ts'
import { quoteIdentifier } from './sql.ts'

/**
 * Selects `columns` and the timestamp from Parquet files, and from the files' rows their places.
 *
 * Columns that were added to the table after a file was written are empty there. The result is a SELECT with the
 * columns `quoteColumn(...)`, `_timestamp`, `file_index` (of `paths`, from 0) and `file_row` (from 0 in each file)
 * under those names, the last two as in {@link PLACE}.
 */
export const selectRows = async (
  session: DuckDbSession,
  { paths, columns }: { paths: string[]; columns: string[] },
): Promise<{ values: string; from: string }> => {
  // On one thread, because other statements that keep their order may be under way.
  const description = await session.runInOrder(`DESCRIBE SELECT * FROM ${readParquet(paths)}`)
  const present = new Set(description.map(([name]) => quoteIdentifier(String(name))))
  const values = columns.map(column => {
    const name = quoteColumn(column)
    if (!present.has(name)) return `'' AS ${name}`
    // One file has its columns in all of its rows, several need not.
    return paths.length === 1 ? name : `coalesce(${name}, '') AS ${name}`
  })
  return { values: [...values, TIMESTAMP_COLUMN].join(', '), from: readParquet(paths) }
}
