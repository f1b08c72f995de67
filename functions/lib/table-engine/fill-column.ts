import { rewriteFile } from './delete-positions.ts'
import { quoteColumn } from './duckdb/parquet-sql.ts'
import type { EngineContext } from './files/engine-context.ts'
import { liveRows, type Snapshot, type TableFile, withFiles } from './files/snapshot.ts'
import { mapAhead } from './map-ahead.ts'
import { defaultSql } from './types/cell-sql.ts'
import { rounding } from './types/field-type.ts'

export interface FillColumnRequest {
  /** The table with the new column, which no file has. */
  snapshot: Snapshot
  column: string
  /** Prefix of new files. The same when the work is repeated. */
  keyPrefix: string
  /** The time that a default such as `current_timestamp()` means. */
  at: Date
}

/**
 * See `TableEngine.fillColumn`. Every file is written anew, with its rows in their order and their times: Iceberg's
 * version 2 has no default for columns that a file lacks, so other engines would show NULL.
 */
export const fillColumn = async (
  context: EngineContext,
  { snapshot, column, keyPrefix, at }: FillColumnRequest,
): Promise<{ snapshot: Snapshot }> => {
  const { fields } = snapshot
  const field = fields.find(({ name }) => name === column)
  if (!field) throw new Error(`The table has no column ${column} to fill.`)
  await context.session.fitTo(fields.length)
  const value = defaultSql(rounding(field, context.roundsNumbers), at)
  const select = (rows: string): string =>
    `SELECT * REPLACE (${value} AS ${quoteColumn(column)}) FROM (${rows}) ORDER BY file_row`
  const fill = (file: TableFile, index: number): Promise<TableFile> =>
    rewriteFile(context, {
      indexed: { file, index },
      snapshot,
      keyPrefix,
      name: 'filled',
      select,
      left: liveRows(file),
    })
  return { snapshot: withFiles(snapshot, await mapAhead(snapshot.files, context.threads + 1, fill)) }
}
