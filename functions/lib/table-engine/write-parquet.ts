import type { DuckDbSession } from './duckdb-session.ts'
import type { LocalFile } from './local-file.ts'
import { quoteColumn, TIMESTAMP_COLUMN } from './parquet-sql.ts'
import { type TableField, TIMESTAMP_ID } from './snapshot.ts'
import { quoteLiteral } from './sql.ts'

/**
 * On our sample Zstandard at level 1 takes as long as Snappy (0.95 s of processor time for a million orders, most of it
 * for reading the CSV) and writes 42 % of the bytes. Higher levels cost more and gain nothing. Row groups are bounded
 * in bytes so that wide rows do not pile up in memory.
 */
const PARQUET_OPTIONS =
  "FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE_BYTES '64MB', RETURN_STATS"

/**
 * Writes the rows of `select`, in their order, to a new Parquet file in the session's folder.
 *
 * `select` has the columns `quoteColumn(...)` of `fields`, and `_timestamp`. The file holds their field ids.
 */
export const writeParquet = async (
  session: DuckDbSession,
  {
    name,
    select,
    fields,
    path = session.scratchPath(`${name}.parquet`),
  }: { name: string; select: string; fields: TableField[]; path?: string },
): Promise<LocalFile> => {
  const ids = [
    ...fields.map(({ id, name: column }) => `${quoteColumn(column)}: ${id}`),
    `${TIMESTAMP_COLUMN}: ${TIMESTAMP_ID}`,
  ]
  const [stats] = await session.runInOrder(
    `COPY (${select}) TO ${quoteLiteral(path)} (${PARQUET_OPTIONS}, FIELD_IDS {${ids.join(', ')}})`,
  )
  // RETURN_STATS gives one row: file name, rows, bytes, ...
  return { name, path, rows: Number(stats?.[1]), bytes: Number(stats?.[2]) }
}
