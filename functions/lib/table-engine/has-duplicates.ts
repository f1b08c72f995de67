import { quoteColumn } from './duckdb/parquet-sql.ts'
import type { EngineContext } from './files/engine-context.ts'
import type { Snapshot } from './files/snapshot.ts'
import { openFiles } from './rows/open-files.ts'
import { scanFiles } from './rows/scan-files.ts'

/** See `TableEngine.hasDuplicates`. Reads these columns only. */
export const hasDuplicates = async (
  context: EngineContext,
  snapshot: Snapshot,
  columns: string[],
): Promise<boolean> => {
  if (snapshot.files.length === 0) return false
  const { session } = context
  await session.fitTo(columns.length)
  const wanted = { fields: snapshot.fields.filter(({ name }) => columns.includes(name)) }
  const files = snapshot.files.map((file, index) => ({ file, index }))
  const sources = await openFiles(context, { files, wanted })
  const keys = columns.map(quoteColumn).join(', ')
  const found = await session.query(
    `SELECT 1 FROM (${scanFiles(sources, wanted)}) GROUP BY ${keys} HAVING count(*) > 1 LIMIT 1`,
  )
  return found.length > 0
}
