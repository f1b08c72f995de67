/** One immutable Parquet file of a snapshot, in the tables bucket. */
export interface TableFile {
  key: string
  rows: number
  bytes: number
}

/**
 * The whole content of a table at one moment: an immutable list of Parquet files and what is true of their union.
 *
 * Every column is text. The files hold one more column, `_timestamp`: the time of the load that last changed the row.
 * One item per table points to its current snapshot; a load writes new files and then moves that pointer.
 */
export interface Snapshot {
  /** In table order; never reordered by a load. */
  columns: string[]
  primaryKey: string[]
  files: TableFile[]
  rowsCount: number
  dataSizeBytes: number
}
