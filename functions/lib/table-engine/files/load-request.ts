import type { RenamedColumn } from '../csv/map-columns.ts'
import type { Snapshot } from './snapshot.ts'
import type { ObjectAddress } from './table-files.ts'

/** How the records of a source are read. */
export type CsvForm = Pick<
  CsvSource,
  'isParquet' | 'delimiter' | 'enclosure' | 'escapedBy' | 'treatValuesAsNull' | 'hidesCells'
>

/** Where the CSV is and how to read it. */
export interface CsvSource {
  /** One for a plain file. For a sliced file, in manifest order. Gzip is detected by content, slice by slice. */
  slices: ObjectAddress[]
  /**
   * The slices name their columns and keep NULL and the empty text apart (`marked-text.ts`), since CSV is made of them: of Parquet by
   * `recordsOfParquet`, or of JSON. See `namedSource`.
   */
  isParquet?: boolean | undefined
  /** Slices have no header, and each ends with the end of a record. */
  isSliced: boolean
  /** As in the request. See `parseCsvDialect`. */
  delimiter: string
  enclosure: string
  escapedBy: string
  /** The columns of the file. It then has no header. */
  columns?: string[]
  /** The file has no header and has the columns of the table. */
  withoutHeaders?: boolean
  /** Number of lines to skip at the start of each file, including the header. Default: only the header. */
  ignoredLinesCount?: number
  /** Cells with one of these values are stored as empty. */
  treatValuesAsNull?: string[]
  /** What a new table, or the columns of one whose types nobody declared, become: texts (default), or what all values of the load show. */
  types?: 'text' | 'detect' | undefined
  /** Columns that stay text with `detect`, whatever their values look like. */
  textColumns?: string[] | undefined
  /** Columns of the table that the file lacks are empty in its rows, in loads by key only with `emptyByKey`. Default: they refuse it. */
  missingColumns?: 'empty' | 'emptyByKey' | undefined
  /** Messages do not repeat a cell. Default: they do. */
  hidesCells?: boolean | undefined
}

export interface LoadRequest {
  /** Such as `in.c-main.orders`, for messages. */
  tableId: string
  /** Prefix of new Parquet files. Unique for each load, and the same when the load is repeated. */
  keyPrefix: string
  /** The `_timestamp` of the changed rows. */
  loadedAt: Date
  /** Undefined: create the table. */
  current: Snapshot | undefined
  /** For a new table. Otherwise the snapshot's key is used. */
  primaryKey: string[]
  /** Adds rows and replaces those with the same primary key. False: replaces all rows. */
  incremental: boolean
  /** Columns whose types nobody declared: where all rows are replaced they take those of the file. Default: none. */
  inferredColumns?: string[] | undefined
  source: CsvSource
  /** Called with the rows that have been read so far. */
  onRows?: (rows: number) => void
}

export interface LoadResult {
  snapshot: Snapshot
  /** Column names in the table, in the order of the file. */
  importedColumns: string[]
  /** Number of records in the file, including duplicates. */
  importedRowsCount: number
  /** Those of them that a later record with the same primary key replaces: they are not in the table. */
  replacedRowsCount: number
  /** New columns that have another name than the file gives them. */
  renamed: RenamedColumn[]
  warnings: string[]
  /** Bytes read from S3. */
  inBytes: number
  isCompressed: boolean
}
