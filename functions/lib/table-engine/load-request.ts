import type { Snapshot } from './snapshot.ts'
import type { ObjectAddress } from './table-files.ts'

/** Where the CSV to load lies and how to read it. */
export interface CsvSource {
  /** One for a plain file; in manifest order for a sliced file. Gzip is recognised by content, slice by slice. */
  slices: ObjectAddress[]
  /** Slices hold no header, and each ends with the end of a record. */
  isSliced: boolean
  /** As in the request: see `parseCsvDialect`. */
  delimiter: string
  enclosure: string
  escapedBy: string
  /** The columns of the file, which then has no header. */
  columns?: string[]
  /** The file has no header and its columns are those of the table. */
  withoutHeaders?: boolean
  /** Lines to pass over at the start of each file, the header among them if there is one. Default: just that. */
  ignoredLinesCount?: number
  /** Cells with one of these values become empty. */
  treatValuesAsNull?: string[]
}

export interface LoadRequest {
  /** Such as `in.c-main.orders`, for messages. */
  tableId: string
  /** New Parquet files go below it. Unique for each load, and the same when the load is repeated. */
  keyPrefix: string
  /** The `_timestamp` of the rows that this load changes. */
  loadedAt: Date
  /** undefined: create the table. */
  current: Snapshot | undefined
  /** Used when the table is created; afterwards it is the snapshot's. */
  primaryKey: string[]
  /** Add to the rows that are there, or replace those with the same primary key; false: replace all. */
  incremental: boolean
  source: CsvSource
}

export interface LoadResult {
  snapshot: Snapshot
  /** Names in the table, in the order of the file. */
  importedColumns: string[]
  /** Records in the file, duplicates included. */
  importedRowsCount: number
  warnings: string[]
  /** Bytes read from S3. */
  inBytes: number
  isCompressed: boolean
}
