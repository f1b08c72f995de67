import type { S3Client } from '@aws-sdk/client-s3'
import {
  type DeleteRowsRequest,
  type DropColumnRequest,
  deleteRows,
  dropColumn,
  hasDuplicates,
} from './alter-table.ts'
import { openDuckDbSession } from './duckdb-session.ts'
import { type ExportRequest, type ExportResult, exportTable } from './export-table.ts'
import { type LoadContext, loadTable } from './load-table.ts'
import { type PreviewQuery, previewTable } from './preview-table.ts'
import { createS3TableFiles } from './s3-table-files.ts'
import type { Snapshot } from './snapshot.ts'
import type { ObjectAddress, TableFiles } from './table-files.ts'

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

/** Rows as text cells, in the order of `columns`. */
export interface PreviewResult {
  columns: string[]
  rows: string[][]
}

export interface TableEngine {
  /**
   * Makes a new snapshot of a table from a CSV file, or throws and leaves everything as it was.
   *
   * Idempotent: the same request writes the same objects and gives the same result. Objects of earlier loads are never
   * touched. A load that fails may leave objects below its own prefix. Throws `UserError` when the file or the request
   * is wrong (codes: `invalidCsv`, `csvImport.*`, `storage.importFileMissing`, `storage.tables.validation.*`).
   */
  load(request: LoadRequest): Promise<LoadResult>
  /** The first rows of a table that match. Throws `UserError` `storage.tables.validation.columnNotExists`. */
  preview(snapshot: Snapshot, query: PreviewQuery): Promise<PreviewResult>
  /**
   * Writes the rows of a table that match to data files, its slices, in order and with bounded memory.
   *
   * Idempotent: the same request writes the same objects. Throws `UserError` `storage.tables.validation.columnNotExists`.
   */
  export(request: ExportRequest): Promise<ExportResult>
  /**
   * The snapshot without the rows that match; without conditions, without any. Idempotent as `load` is.
   *
   * Throws `UserError` `storage.tables.validation.columnNotExists`.
   */
  deleteRows(request: DeleteRowsRequest): Promise<Snapshot>
  /** The snapshot without a column. Idempotent as `load` is. */
  dropColumn(request: DropColumnRequest): Promise<Snapshot>
  /** Whether several rows have the same values in these columns, so that they are no key. */
  hasDuplicates(snapshot: Snapshot, columns: string[]): Promise<boolean>
}

/** Sizes that trade memory, disk and the number of files against each other; tests make them small. */
export interface TableLimits {
  /**
   * Bytes of CSV in one Parquet file. Each thread works on one chunk, one more waits and one is being read, so this
   * decides how much memory a load takes (about 210 MiB at 8 MiB and two threads, 320 at 16, in the same time). Some MB
   * of Parquet also mean that the first rows of any table are there after one short download.
   */
  chunkBytes: number
  /** Parquet files below this size count as small. */
  smallFileBytes: number
  /** A load that leaves more small files than this makes one of them. */
  maxSmallFiles: number
}

export const DEFAULT_LIMITS: TableLimits = {
  chunkBytes: 8 * 1024 * 1024,
  smallFileBytes: 256 * 1024,
  maxSmallFiles: 16,
}

export interface TableEngineOptions {
  s3: S3Client
  /** Holds the Parquet files. */
  tablesBucket: string
  /** A folder for files that live as long as one call. */
  scratchDir: string
  /** For DuckDB; the engine itself takes up to about 100 MiB more. */
  memoryLimitMiB: number
  threads: number
  limits?: Partial<TableLimits>
}

/** The table engine on S3 and DuckDB. Calls are independent of each other and may run at the same time. */
export const createTableEngine = ({ s3, tablesBucket, ...options }: TableEngineOptions): TableEngine =>
  createTableEngineOn(createS3TableFiles({ s3, tablesBucket }), options)

/** The same engine on any kind of files. */
export const createTableEngineOn = (
  files: TableFiles,
  options: Omit<TableEngineOptions, 's3' | 'tablesBucket'>,
): TableEngine => {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const inSession = async <Result>(work: (context: LoadContext) => Promise<Result>): Promise<Result> => {
    const session = await openDuckDbSession(options)
    try {
      return await work({ session, files, limits, threads: options.threads })
    } finally {
      await session.close()
    }
  }
  return {
    load: request => inSession(context => loadTable(context, request)),
    preview: (snapshot, query) => inSession(context => previewTable(context, snapshot, query)),
    export: request => inSession(context => exportTable(context, request)),
    deleteRows: request => inSession(context => deleteRows(context, request)),
    dropColumn: request => inSession(context => dropColumn(context, request)),
    hasDuplicates: (snapshot, columns) => inSession(context => hasDuplicates(context, snapshot, columns)),
  }
}
