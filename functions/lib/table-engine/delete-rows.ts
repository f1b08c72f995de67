import { deletePositions } from './delete-positions.ts'
import type { EngineContext } from './files/engine-context.ts'
import { columnNames, type Snapshot, withFiles } from './files/snapshot.ts'
import { findFiles, neededColumns } from './rows/find-rows.ts'
import { batchFiles, closeFiles, openFiles } from './rows/open-files.ts'
import { conditionsSql, type RowConditions, refuseUnknownConditions } from './rows/row-conditions.ts'
import { scanFiles } from './rows/scan-files.ts'

export interface DeleteRowsRequest extends RowConditions {
  snapshot: Snapshot
  /** Prefix of new files. The same when the work is repeated. */
  keyPrefix: string
  /** Leaves no deleted row in a file, not those of before either. Default: files that keep most of their rows stay. */
  erases?: boolean
}

export interface DeleteRowsResult {
  snapshot: Snapshot
}

/** See `TableEngine.deleteRows`. Reads the columns of the conditions, in the files that can hold such rows. */
export const deleteRows = async (
  context: EngineContext,
  { snapshot, keyPrefix, erases, ...conditions }: DeleteRowsRequest,
): Promise<DeleteRowsResult> => {
  const { session } = context
  const columns = columnNames(snapshot)
  refuseUnknownConditions(columns, conditions)
  const where = conditionsSql(conditions, snapshot)
  if (where === undefined) return { snapshot: withFiles(snapshot, []) }
  await session.fitTo(columns.length)
  await session.query('CREATE TABLE drops (file_index BIGINT, file_row BIGINT)')
  const wanted = neededColumns(snapshot, { ...conditions, columns: [] })
  for (const files of batchFiles(findFiles(snapshot, conditions))) {
    const sources = await openFiles(context, { files, wanted })
    // A comparison with text that is no number is neither true nor false: such rows stay.
    await session.query(
      `INSERT INTO drops SELECT file_index, file_row FROM (${scanFiles(sources, wanted)}) WHERE ${where}`,
    )
    await closeFiles(sources)
  }
  const files = await deletePositions(context, { snapshot, keyPrefix, positions: 'drops', erases })
  return { snapshot: withFiles(snapshot, files) }
}
