import { rm } from 'node:fs/promises'
import pMap from 'p-map'
import type { DuckDbSession } from './duckdb-session.ts'
import { isLocal, type SnapshotFile } from './local-file.ts'
import { selectRows } from './select-rows.ts'
import { columnNames, type TableField, type TableFile } from './snapshot.ts'
import { TRANSFERS } from './table-files.ts'
import { writeParquet } from './write-parquet.ts'

interface CompactFilesRequest {
  files: SnapshotFile[]
  fields: TableField[]
  smallFileBytes: number
  maxSmallFiles: number
  /** Downloads a file of the table to the session's folder. Resolves to its path. */
  download: (file: TableFile) => Promise<string>
}

/**
 * Merges all small files into one when there are too many, as after many small appends. Their rows come last, in the
 * same order.
 *
 * Large files are left alone, so an append costs as much as the small files and not as the whole table: a row is
 * rewritten only until its file has grown to `smallFileBytes`.
 */
export const compactFiles = async (
  session: DuckDbSession,
  { files, fields, smallFileBytes, maxSmallFiles, download }: CompactFilesRequest,
): Promise<SnapshotFile[]> => {
  const isSmall = ({ bytes }: SnapshotFile): boolean => bytes < smallFileBytes
  const small = files.filter(isSmall)
  if (small.length <= maxSmallFiles) return files
  const paths = await pMap(small, async file => (isLocal(file) ? file.path : download(file)), {
    concurrency: TRANSFERS,
  })
  const { values, from } = await selectRows(session, { paths, columns: columnNames({ fields }) })
  const merged = await writeParquet(session, {
    name: 'merged',
    fields,
    select: `SELECT ${values} FROM ${from}`,
  })
  const rows = small.reduce((sum, file) => sum + file.rows, 0)
  if (merged.rows !== rows) throw new Error(`The compacted file has ${merged.rows} rows instead of ${rows}.`)
  await Promise.all(paths.map(path => rm(path)))
  return [...files.filter(file => !isSmall(file)), merged]
}
