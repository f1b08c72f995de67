import type { DataFile, ManifestEntry } from '../manifests/data-file.ts'
import type { TableMetadata } from '../metadata/table-metadata.ts'
import type { ObjectReader } from '../object-reader.ts'
import { IcebergRefusal } from '../refusal.ts'
import { findSnapshot, readLiveEntries } from './read-manifests.ts'

/** Id of the column `file_path` in position deletes (specification, "Reserved Field IDs"). */
export const FILE_PATH_FIELD = 2147483546

/** Id of their column `pos`. */
export const POSITION_FIELD = 2147483545

/** A file of rows, and the one file of its deleted positions. */
export interface LiveFile {
  file: DataFile
  deletes?: DataFile | undefined
}

/** The path of the one file that deletes apply to: named, or as the only value of their column `file_path`. */
const targetOf = ({ path, referencedDataFile, columns }: DataFile): string => {
  const { lower, upper } = columns.get(FILE_PATH_FIELD) ?? {}
  const only = lower && upper && Buffer.from(lower).equals(upper) ? Buffer.from(lower).toString() : undefined
  const target = referencedDataFile ?? only
  if (target === undefined) throw new IcebergRefusal(`The deletes ${path} are not of one file.`)
  return target
}

/** Each file of rows with its deletes. Throws `IcebergRefusal` for several, which are never written here. */
const pairWithDeletes = (entries: readonly ManifestEntry[]): LiveFile[] => {
  const files = entries.map(({ file }) => file)
  const deletes = Map.groupBy(
    files.filter(({ content }) => content === 'positionDeletes'),
    targetOf,
  )
  return files
    .filter(({ content }) => content === 'data')
    .map(file => {
      const [own, ...more] = deletes.get(file.path) ?? []
      if (more.length > 0)
        throw new IcebergRefusal(`The deletes of ${file.path} are not in one file of their own.`)
      return { file, deletes: own }
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
