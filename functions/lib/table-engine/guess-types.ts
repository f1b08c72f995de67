import { quoteColumn } from './duckdb/parquet-sql.ts'
import type { EngineContext } from './files/engine-context.ts'
import { columnNames, type Snapshot, textColumns } from './files/snapshot.ts'
import { openFirstRows } from './first-rows.ts'
import { detectColumns } from './queries/detect-columns.ts'
import { neededColumns } from './rows/find-rows.ts'
import { refuseUnknownColumns } from './rows/row-conditions.ts'
import { scanFiles } from './rows/scan-files.ts'

/** So many rows speak for all. */
const MAX_ROWS = 10_000
const MAX_BYTES = 32_000_000

/** See `TableEngine.guessTypes`. */
export const guessTypes = async (
  context: EngineContext,
  snapshot: Snapshot,
  { columns }: { columns: string[] },
): Promise<{ types: Record<string, string> }> => {
  const { session } = context
  refuseUnknownColumns(columnNames(snapshot), columns)
  const texts = textColumns(snapshot, columns)
  const wanted = neededColumns(snapshot, { columns: texts })
  await session.fitTo(wanted.fields.length)
  const sources = await openFirstRows(context, snapshot, { wanted, maxRows: MAX_ROWS, maxBytes: MAX_BYTES })
  if (sources.length === 0 || texts.length === 0) return { types: {} }
  const rows = `(SELECT ${texts.map(quoteColumn).join(', ')} FROM (${scanFiles(sources, wanted)}) ORDER BY file_index, file_row LIMIT ${MAX_ROWS})`
  return { types: Object.fromEntries(await detectColumns(session, texts, rows)) }
}
