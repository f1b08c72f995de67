import pMap from 'p-map'
import type { EngineContext } from './files/engine-context.ts'
import { type Snapshot, sum, type TableFile } from './files/snapshot.ts'
import { TRANSFERS } from './files/table-files.ts'
import { mergeStaged } from './load-table.ts'
import type { LocalFile } from './local-file.ts'
import { openTableFile } from './parquet/open-table-file.ts'

export interface CommitStagedRequest {
  /** The table with the columns that it has after the load, and the files from before. */
  table: Snapshot
  /** The files of `TableEngine.stageRange`, in the order of the load. */
  staged: TableFile[]
  /** Adds rows and replaces those with the same primary key. False: replaces all rows. */
  incremental: boolean
  /** Prefix of new files, other than that of the staged ones. The same when the commit is repeated. */
  keyPrefix: string
}

/** See `TableEngine.commitStaged`. */
export const commitStaged = async (
  context: EngineContext,
  { table, staged, incremental, keyPrefix }: CommitStagedRequest,
): Promise<{ snapshot: Snapshot; replacedRowsCount: number }> => {
  await context.session.fitTo(table.fields.length)
  const brought =
    table.primaryKey.length === 0
      ? staged
      : await pMap(staged, (file, index) => bring(context, file, index), { concurrency: TRANSFERS })
  const request = { table, staged: brought, hasLoadOrder: true }
  const { snapshot, replaced } = await mergeStaged(context, { keyPrefix, incremental }, request)
  return { snapshot, replacedRowsCount: sum(replaced) }
}

/** A staged file, whole, in the session's folder. */
const bring = async (context: EngineContext, file: TableFile, index: number): Promise<LocalFile> => {
  const name = `staged-${String(index + 1).padStart(5, '0')}`
  const { path, footer, fetch } = await openTableFile(context, file, name)
  await fetch(footer.columns.map((_, place) => place))
  return { path, name, rows: file.rows, bytes: file.bytes, footer }
}
