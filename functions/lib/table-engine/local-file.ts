import type { TableFile } from './snapshot.ts'

/** A Parquet file in the scratch folder that will be a table's file. */
export interface LocalFile {
  path: string
  /** What its object will be called, without prefix and suffix. */
  name: string
  rows: number
  bytes: number
}

/** A file of the snapshot in the making: as it was, or new. */
export type SnapshotFile = TableFile | LocalFile

export const isLocal = (file: SnapshotFile): file is LocalFile => 'path' in file
