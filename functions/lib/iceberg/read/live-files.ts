import type { DataFile, ManifestEntry } from '../manifests/data-file.ts'
import { formatLongJson } from '../metadata/long-json.ts'
import type { TableMetadata } from '../metadata/table-metadata.ts'
import type { ObjectReader } from '../object-reader.ts'
import { findSnapshot, readLiveEntries } from './read-manifests.ts'

/** Id of the column `file_path` in position deletes (specification, "Reserved Field IDs"). */
export const FILE_PATH_FIELD = 2147483546

/** Id of their column `pos`. */
export const POSITION_FIELD = 2147483545

/** A file of rows, and the deletes that apply to it. */
export interface LiveFile {
  file: DataFile
  sequenceNumber: number
  positionDeletes: DataFile[]
  equalityDeletes: DataFile[]
}

const partitionKey = ({ specId, partition }: DataFile): string =>
  formatLongJson([
    specId,
    [...partition]
      .sort(([left], [right]) => left - right)
      .map(([id, value]) => [id, value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value]),
  ])

/** Whether position deletes may name a file, by the bounds of their column `file_path`. */
const mayName = (deletes: DataFile, path: string): boolean => {
  if (deletes.referencedDataFile !== undefined) return deletes.referencedDataFile === path
  const { lower, upper } = deletes.columns.get(FILE_PATH_FIELD) ?? {}
  const bytes = Buffer.from(path)
  return !(lower && Buffer.compare(bytes, lower) < 0) && !(upper && Buffer.compare(bytes, upper) > 0)
}

/**
 * Each file of rows with the deletes that apply to it (specification, "Scan Planning"): position deletes of the same
 * partition that are not older than the file; equality deletes that are newer, of the same partition or of none.
 */
export const pairWithDeletes = (entries: readonly ManifestEntry[]): LiveFile[] => {
  const isOf = (content: DataFile['content']) => (entry: ManifestEntry) => entry.file.content === content
  const positionDeletes = Map.groupBy(entries.filter(isOf('positionDeletes')), entry =>
    partitionKey(entry.file),
  )
  const equalityDeletes = entries.filter(isOf('equalityDeletes'))
  return entries.filter(isOf('data')).map(({ file, sequenceNumber }) => {
    const partition = partitionKey(file)
    return {
      file,
      sequenceNumber,
      positionDeletes: (positionDeletes.get(partition) ?? [])
        .filter(deletes => deletes.sequenceNumber >= sequenceNumber && mayName(deletes.file, file.path))
        .map(deletes => deletes.file),
      equalityDeletes: equalityDeletes
        .filter(
          deletes =>
            deletes.sequenceNumber > sequenceNumber &&
            (deletes.file.partition.size === 0 || partitionKey(deletes.file) === partition),
        )
        .map(deletes => deletes.file),
    }
  })
}

/** The files of rows of a snapshot, by default the current one, with their deletes. Empty when the table has none. */
export const readLiveFiles = async (
  read: ObjectReader,
  metadata: TableMetadata,
  snapshotId?: bigint,
): Promise<LiveFile[]> => {
  const snapshot = findSnapshot(metadata, snapshotId)
  return snapshot ? pairWithDeletes(await readLiveEntries(read, snapshot)) : []
}
