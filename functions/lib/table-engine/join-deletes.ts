import { rm } from 'node:fs/promises'
import { DELETE_FILE_IDS } from './delete-positions.ts'
import { quoteList, quoteLiteral } from './duckdb/sql.ts'
import type { EngineContext } from './files/engine-context.ts'
import type { TableFile } from './files/snapshot.ts'
import { openTableFile } from './parquet/open-table-file.ts'
import { copyToParquet } from './write-parquet.ts'

type Deletes = NonNullable<TableFile['deletes']>

/** A file of rows whose deleted positions lie in several files, or in one that it shares with others. */
export interface SharedDeletes {
  key: string
  deletes: Pick<Deletes, 'key' | 'bytes'>[]
}

export interface JoinDeletesRequest {
  files: SharedDeletes[]
  /** Prefix of new files. The same when the work is repeated. */
  keyPrefix: string
}

/**
 * Gives each file of rows one file of its own with all its deleted positions. Other engines write them as they please; we
 * read one. Resolves to the new files by the key of the file of rows.
 */
export const joinDeletes = async (
  context: EngineContext,
  { files, keyPrefix }: JoinDeletesRequest,
): Promise<Map<string, Deletes>> => {
  const { session, files: store } = context
  const locations = files.map(({ key }) => store.locationOf(key))
  await session.query('CREATE TABLE found (file_path VARCHAR, pos BIGINT)')
  await session.query(`CREATE TABLE wanted AS SELECT unnest(${quoteList(locations)}) AS file_path`)
  const shared = new Map(files.flatMap(({ deletes }) => deletes).map(({ key, bytes }) => [key, bytes]))
  for (const [index, [key, bytes]] of [...shared].entries()) {
    const opened = await openTableFile(context, { key, bytes }, `shared-${index}`)
    await opened.fetch(opened.footer.columns.map((_, place) => place))
    await session.query(
      `INSERT INTO found SELECT file_path, pos FROM read_parquet(${quoteLiteral(opened.path)}) SEMI JOIN wanted USING (file_path)`,
    )
    await opened.close()
  }
  // In order, so that the positions of one file are found without reading those of all.
  await session.runInOrder('CREATE TABLE positions AS SELECT DISTINCT * FROM found ORDER BY file_path, pos')
  const joined = new Map<string, Deletes>()
  for (const [index, { key }] of files.entries()) {
    const name = `joined-deletes-${String(index + 1).padStart(5, '0')}`
    const path = session.scratchPath(`${name}.parquet`)
    const { rows } = await copyToParquet(session, {
      select: `SELECT * FROM positions WHERE file_path = ${quoteLiteral(store.locationOf(key))} ORDER BY pos`,
      ids: DELETE_FILE_IDS,
      path,
    })
    if (rows > 0) {
      const deletesKey = `${keyPrefix}${name}.parquet`
      joined.set(key, { key: deletesKey, rows, bytes: await store.upload(path, deletesKey) })
    }
    await rm(path)
  }
  return joined
}
