import type { EngineContext } from './engine-context.ts'
import { openFiles } from './open-files.ts'
import { quoteColumn } from './parquet-sql.ts'
import { scanFiles } from './scan-files.ts'
import type { Snapshot } from './snapshot.ts'

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
