import pMap from 'p-map'
import type { EngineContext } from './engine-context.ts'
import { quoteColumn, readParquet } from './parquet-sql.ts'
import { rewriteFiles } from './rewrite-files.ts'
import { conditionsSql, type RowConditions, refuseUnknownColumns } from './row-conditions.ts'
import { selectRows } from './select-rows.ts'
import { columnNames, type Snapshot, withFiles } from './snapshot.ts'
import { TRANSFERS } from './table-files.ts'

export interface DeleteRowsRequest extends RowConditions {
  snapshot: Snapshot
  /** Prefix of new files. The same when the work is repeated. */
  keyPrefix: string
}

/** See `TableEngine.deleteRows`. */
export const deleteRows = async (
  context: EngineContext,
  { snapshot, keyPrefix, ...conditions }: DeleteRowsRequest,
): Promise<Snapshot> => {
  refuseUnknownColumns(
    columnNames(snapshot),
    (conditions.where ?? []).map(({ column }) => column),
  )
  const where = conditionsSql(conditions, columnNames(snapshot))
  if (where === undefined) return withFiles(snapshot, [])
  // A comparison with text that is no number is neither true nor false: such rows stay.
  const keep = `(${where}) IS NOT TRUE`
  return withFiles(
    snapshot,
    await rewriteFiles(context, { snapshot, keyPrefix, fields: snapshot.fields, keep }),
  )
}

export interface DropColumnRequest {
  snapshot: Snapshot
  column: string
  keyPrefix: string
}

/**
 * See `TableEngine.dropColumn`. The files are rewritten without the column: otherwise its values would reappear in a
 * new column of the same name.
 */
export const dropColumn = async (
  context: EngineContext,
  { snapshot, column, keyPrefix }: DropColumnRequest,
): Promise<Snapshot> => {
  const fields = snapshot.fields.filter(({ name }) => name !== column)
  const files = await rewriteFiles(context, { snapshot, keyPrefix, fields })
  return { ...withFiles(snapshot, files), fields }
}

/** See `TableEngine.hasDuplicates`. */
export const hasDuplicates = async (
  { session, files: store }: EngineContext,
  snapshot: Snapshot,
  columns: string[],
): Promise<boolean> => {
  if (snapshot.files.length === 0) return false
  await session.fitTo(columns.length)
  const paths = await pMap(
    snapshot.files,
    async ({ key }, index) => {
      const path = session.scratchPath(`keys-${index}.parquet`)
      await store.download(key, path)
      return path
    },
    { concurrency: TRANSFERS },
  )
  const { values } = await selectRows(session, { paths, columns })
  const keys = columns.map(quoteColumn).join(', ')
  const found = await session.query(
    `SELECT 1 FROM (SELECT ${values} FROM ${readParquet(paths)}) GROUP BY ${keys} HAVING count(*) > 1 LIMIT 1`,
  )
  return found.length > 0
}
