import type { ParquetFooter } from './files/footer.ts'
import type { TableFile } from './files/snapshot.ts'

/** A Parquet file in the scratch folder that will become a file of the table. */
export interface LocalFile {
  path: string
  /** Name of its object, without prefix and suffix. */
  name: string
  rows: number
  bytes: number
  footer: ParquetFooter
}

/** A file of the new snapshot: an unchanged one, or a new one. */
export type SnapshotFile = TableFile | LocalFile

export const isLocal = (file: SnapshotFile): file is LocalFile => 'path' in file
