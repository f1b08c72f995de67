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

/** A value of a partition tuple as Avro holds it. */
export type PartitionValue = string | number | bigint | boolean | Uint8Array | null

/** One file of a table: rows, or deletes of rows in other files. */
export interface DataFile {
  content: 'data' | 'positionDeletes' | 'equalityDeletes'
  /** Absolute: `s3://bucket/key`. */
  path: string
  format: string
  specId: number
  /** By partition field id. Empty without partitions. */
  partition: ReadonlyMap<number, PartitionValue>
  rows: number
  bytes: number
  /** By field id. */
  columns: ReadonlyMap<number, ColumnStatistics>
  splitOffsets?: readonly number[]
  /** Of equality deletes: the columns that must be equal. */
  equalityIds?: readonly number[]
  sortOrderId?: number
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
