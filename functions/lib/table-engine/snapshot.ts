/** One immutable Parquet file of a snapshot, in the tables bucket. */
export interface TableFile {
  key: string
  rows: number
  bytes: number
}

/**
 * The complete content of a table at one time: an immutable list of Parquet files, and facts about all of them.
 *
 * Every column is text. The files have one more column, `_timestamp`: the time of the load that last changed the row.
 * One item per table points to its current snapshot. A load writes new files and then moves that pointer.
 */
export interface Snapshot {
  /** In table order. A load never changes that order. */
  columns: string[]
  primaryKey: string[]
  files: TableFile[]
  rowsCount: number
  dataSizeBytes: number
}
