import { rm } from 'node:fs/promises'
import { packGroups } from '../pack-groups.ts'
import { quoteColumn } from './duckdb/parquet-sql.ts'
import type { EngineContext } from './files/engine-context.ts'
import { liveRows, type Snapshot, type TableFile } from './files/snapshot.ts'
import { isLocal, type LocalFile, type SnapshotFile } from './local-file.ts'
import { closeFiles, type OpenSource, openFiles } from './rows/open-files.ts'
import { type ScanSource, scanFiles } from './rows/scan-files.ts'
import { writeParquet } from './write-parquet.ts'

interface CompactFilesRequest {
  files: SnapshotFile[]
  /** The table after the load, but for its files. */
  snapshot: Snapshot
  /** Begins the names of the files; unique in the session. */
  name: string
}

/**
 * Merges small files when there are too many, as after many small loads. Their rows come last: in the order of the key,
 * or in the same order.
 *
 * Files are merged with files of about their size: those below `smallFileBytes`, and of the older ones those up to four
 * times of it. So a row is rewritten about once for each class, and the number of files grows with the bytes of the
 * table, not with its loads. Large files are left alone: a load costs as much as the small files, not as the table.
 */
export const compactFiles = async (
  context: EngineContext,
  { files, snapshot, name }: CompactFilesRequest,
): Promise<SnapshotFile[]> => {
  const { smallFileBytes, maxSmallFiles } = context.limits
  const isSmall = ({ bytes }: SnapshotFile): boolean => bytes < smallFileBytes
  const isMedium = (file: SnapshotFile): boolean =>
    !isLocal(file) && !isSmall(file) && file.bytes < MEDIUM_FACTOR * smallFileBytes
  const merged = new Set<SnapshotFile>()
  const added: LocalFile[] = []
  for (const isOfClass of [isSmall, isMedium]) {
    const ofClass = files.filter(isOfClass)
    if (ofClass.length <= maxSmallFiles) continue
    const groups = packGroups(ofClass, ({ bytes }) => bytes, MERGED_FACTOR * smallFileBytes)
    for (const group of groups.filter(({ length }) => length > 1).slice(0, MAX_GROUPS)) {
      added.push(await mergeFiles(context, { group, files, snapshot, name: `${name}-${added.length + 1}` }))
      for (const file of group) merged.add(file)
    }
  }
  return [...files.filter(file => !merged.has(file)), ...added]
}

/** Files of this many times `smallFileBytes` are as large as a chunk of a load usually is. */
const MEDIUM_FACTOR = 4

/** A merged file has about this many times `smallFileBytes`, and a load merges so many groups at most. */
const MERGED_FACTOR = 16
const MAX_GROUPS = 16

interface MergeFilesRequest extends CompactFilesRequest {
  group: SnapshotFile[]
}

const mergeFiles = async (
  context: EngineContext,
  { group, files, snapshot, name }: MergeFilesRequest,
): Promise<LocalFile> => {
  const { fields, primaryKey } = snapshot
  const wanted = { fields, timestamp: true }
  const indexOf = new Map(files.map((file, index) => [file, index]))
  const local = group.filter(isLocal)
  const stored = group.filter((file): file is TableFile => !isLocal(file))
  const opened = await openFiles(context, {
    files: stored.map(file => ({ file, index: indexOf.get(file) ?? 0 })),
    wanted,
  })
  const sources: (ScanSource | OpenSource)[] = [
    ...opened,
    ...local.map(file => ({ ...file, index: indexOf.get(file) ?? 0 })),
  ]
  const order = [...primaryKey.map(quoteColumn), 'file_index', 'file_row']
  const merged = await writeParquet(context.session, {
    name,
    fields,
    isKeyed: primaryKey.length > 0,
    select: `SELECT * FROM (${scanFiles(sources, wanted)}) ORDER BY ${order.join(', ')}`,
  })
  const rows = group.reduce((sum, file) => sum + liveRows(file), 0)
  if (merged.rows !== rows) throw new Error(`The compacted file has ${merged.rows} rows instead of ${rows}.`)
  await closeFiles(opened)
  await Promise.all(local.map(({ path }) => rm(path)))
  return merged
}
