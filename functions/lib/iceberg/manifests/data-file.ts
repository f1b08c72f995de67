/** What a manifest says about one column of a file. What is unknown is absent. */
export interface ColumnStatistics {
  bytes?: number
  /** Nulls included. */
  values?: number
  nulls?: number
  nans?: number
  /** Single values in binary form, possibly truncated. */
  lower?: Uint8Array
  upper?: Uint8Array
}

/** One Parquet file of a table: rows, or positions of deleted rows of another file. */
export interface DataFile {
  content: 'data' | 'positionDeletes'
  /** Absolute: `s3://bucket/key`. */
  path: string
  rows: number
  bytes: number
  /** By field id. */
  columns: ReadonlyMap<number, ColumnStatistics>
  /** Of position deletes that all apply to one file: its path. */
  referencedDataFile?: string
}

/** A file as a manifest lists it, sequence numbers filled in. */
export interface ManifestEntry {
  status: 'existing' | 'added' | 'deleted'
  /** The snapshot that added the file, or deleted it. */
  snapshotId: bigint
  /** Decides which deletes apply to which data. */
  sequenceNumber: number
  /** When the file itself was added. */
  fileSequenceNumber: number
  file: DataFile
}

export const isLive = (entry: ManifestEntry): boolean => entry.status !== 'deleted'
