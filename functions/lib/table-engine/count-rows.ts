import type { EngineContext } from './files/engine-context.ts'
import { columnNames, type Snapshot } from './files/snapshot.ts'
import { findFiles, neededColumns } from './rows/find-rows.ts'
import { batchFiles, closeFiles, openFiles } from './rows/open-files.ts'
import { createReadLimit } from './rows/read-limit.ts'
import { conditionsSql, type RowConditions, refuseUnknownConditions } from './rows/row-conditions.ts'
import { scanFiles } from './rows/scan-files.ts'

export interface CountQuery extends RowConditions {
  /** Of the columns that are compared, as stored. */
  maxBytes: number
}

/** See `TableEngine.count`. Counts what `deleteRows` would delete. */
export const countRows = async (
  context: EngineContext,
  snapshot: Snapshot,
  { maxBytes, ...conditions }: CountQuery,
): Promise<{ rowsCount: number }> => {
  const { session } = context
  refuseUnknownConditions(columnNames(snapshot), conditions)
  const where = conditionsSql(conditions, snapshot)
  if (where === undefined) return { rowsCount: snapshot.rowsCount }
  const wanted = neededColumns(snapshot, { ...conditions, columns: [] })
  const found = findFiles(snapshot, conditions)
  createReadLimit({ wanted, maxBytes }).files(found.map(({ file }) => file))
  await session.fitTo(snapshot.fields.length)
  let rowsCount = 0
  for (const files of batchFiles(found)) {
    const sources = await openFiles(context, { files, wanted })
    const [[matching] = []] = await session.query(
      `SELECT count(*) FROM (${scanFiles(sources, wanted)}) WHERE ${where}`,
    )
    rowsCount += Number(matching ?? 0)
    await closeFiles(sources)
  }
  return { rowsCount }
}
