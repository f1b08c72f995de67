import { quoteColumn } from './duckdb/parquet-sql.ts'
import type { EngineContext } from './files/engine-context.ts'
import { liveRows, type Snapshot, type TableFile, withFiles } from './files/snapshot.ts'
import { createPublish } from './local-file.ts'
import { mapAhead } from './map-ahead.ts'
import { closeFiles, openFile } from './rows/open-files.ts'
import { scanFiles } from './rows/scan-files.ts'
import { defaultSql } from './types/cell-sql.ts'
import { rounding } from './types/field-type.ts'
import { writeParquet } from './write-parquet.ts'

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
  const { fields, primaryKey } = snapshot
  const field = fields.find(({ name }) => name === column)
  if (!field) throw new Error(`The table has no column ${column} to fill.`)
  await context.session.fitTo(fields.length)
  const publish = createPublish(context, { keyPrefix, fields })
  const wanted = { fields, timestamp: true }
  const fill = async (file: TableFile, index: number): Promise<TableFile> => {
    const source = await openFile(context, { file, index })
    await source.fetch(wanted)
    const written = await writeParquet(context.session, {
      name: `filled-${String(index + 1).padStart(5, '0')}`,
      fields,
      isKeyed: primaryKey.length > 0,
      select: `SELECT * REPLACE (${defaultSql(rounding(field, context.roundsNumbers), at)} AS ${quoteColumn(column)})
        FROM (${scanFiles([source], wanted)}) ORDER BY file_row`,
    })
    if (written.rows !== liveRows(file))
      throw new Error(`${file.key} was written anew with ${written.rows} rows, not ${liveRows(file)}.`)
    await closeFiles([source])
    return publish(written)
  }
  const each = async function* () {
    yield* snapshot.files
  }
  return { snapshot: withFiles(snapshot, await mapAhead(each(), context.threads + 1, fill)) }
}
