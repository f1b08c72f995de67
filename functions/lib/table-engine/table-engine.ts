import type { S3Client } from '@aws-sdk/client-s3'
import { UserError } from '../errors/errors.ts'
import { createTurns, type TakeTurn } from '../turns.ts'
import { type CountQuery, type CountResult, countRows } from './count-rows.ts'
import { type DeleteRowsRequest, type DeleteRowsResult, deleteRows } from './delete-rows.ts'
import { DuckDbPool } from './duckdb/confined-duckdb.ts'
import {
  type DuckDbSession,
  type FirstRows,
  openDuckDbSession,
  type ShownRows,
} from './duckdb/duckdb-session.ts'
import { quoteColumn } from './duckdb/parquet-sql.ts'
import { type ExportRequest, type ExportResult, exportTable } from './export-table.ts'
import { DEFAULT_LIMITS, type EngineContext, type TableLimits } from './files/engine-context.ts'
import type { LoadRequest, LoadResult } from './files/load-request.ts'
import type { Snapshot } from './files/snapshot.ts'
import type { TableFiles } from './files/table-files.ts'
import { type FillColumnRequest, fillColumn } from './fill-column.ts'
import { type CommitStagedRequest, commitStaged, loadTable } from './load-table.ts'
import { type LoadTogetherRequest, type LoadTogetherResult, loadTogether } from './load-together.ts'
import { recordsOfParquet } from './parquet/records-of-parquet.ts'
import { type PreviewQuery, type PreviewResult, previewTable } from './preview-table.ts'
import { openBox } from './queries/open-box.ts'
import {
  type QueryReads,
  queryTables,
  queryToFile,
  type TableQuery,
  withinBounds,
} from './queries/query-tables.ts'
import { openFiles } from './rows/open-files.ts'
import { scanFiles } from './rows/scan-files.ts'
import { createS3TableFiles } from './s3-table-files.ts'
import { type StageRangeRequest, stageRange } from './stage-range.ts'
import type { FileColumn } from './types/field-type.ts'

/** What a call cost. */
interface Cost {
  /** Bytes of the table's files that were read, as stored. */
  bytesRead: number
}

export interface TableEngine {
  /**
   * Makes a new snapshot of a table from a CSV file. If it throws, nothing has changed.
   *
   * Idempotent: the same request writes the same objects and gives the same result. It never touches objects of earlier
   * loads. A failed load may leave objects below its own prefix. Throws `UserError` when the file or the request is
   * wrong (codes: `invalidCsv`, `csvImport.*`, `storage.importFileMissing`, `storage.tables.validation.*`).
   */
  load(request: LoadRequest): Promise<LoadResult & Cost>
  /** Loads several files as one change of a table. Idempotent like `load`; see `loadTogether`. */
  loadTogether(request: LoadTogetherRequest): Promise<LoadTogetherResult & Cost>
  /**
   * Writes a part of a load as Parquet files that no table has yet. Idempotent: the same request writes the same
   * objects. Throws `UserError` when a record is wrong.
   */
  stageRange(request: StageRangeRequest): ReturnType<typeof stageRange>
  /**
   * Gives the CSV that `recordsOfParquet` makes of a file to `show`. Resolves to what could not be read, and what its columns hold. Throws `UserError` as that does.
   */
  readParquet(
    file: AsyncIterable<Uint8Array>,
    source: string,
    show: (records: AsyncIterable<Uint8Array>) => Promise<void>,
  ): Promise<{ warnings: string[]; types: FileColumn[] } & Cost>
  /** The snapshot of a table with the rows of all parts of a load. Idempotent like `load`. */
  commitStaged(request: CommitStagedRequest): ReturnType<typeof commitStaged>
  /**
   * The first rows of a table that match. Throws `UserError` `storage.tables.validation.columnNotExists`,
   * `storage.preview.tooLarge`.
   */
  preview(snapshot: Snapshot, query: PreviewQuery): Promise<PreviewResult & Cost>
  /** How many rows match. Throws as `preview` does. */
  count(snapshot: Snapshot, query: CountQuery): Promise<CountResult & Cost>
  /**
   * Answers one query on any tables with its first rows, in a process of its own. Throws `UserError` `storage.query.invalid`,
   * `storage.query.tooLarge`, `storage.query.tooLong`, `storage.tooManyAtOnce`, and what `find` throws.
   */
  query(query: TableQuery & { most: ShownRows }): Promise<QueryReads & FirstRows & Cost>
  /** The same with the whole result as a file on this disk, which goes when `show` has ended. */
  queryToFile(
    query: TableQuery & { format: 'csv' | 'jsonl' | 'parquet' },
    show: (path: string) => Promise<void>,
  ): Promise<QueryReads & Cost>
  /**
   * Writes the matching rows of a table to data files, its slices, in order and with bounded memory.
   *
   * Idempotent: the same request writes the same objects. Throws `UserError`
   * `storage.tables.validation.columnNotExists`.
   */
  export(request: ExportRequest): Promise<ExportResult & Cost>
  /**
   * The snapshot without the matching rows. Without conditions, all rows match. Idempotent like `load`.
   *
   * Throws `UserError` `storage.tables.validation.columnNotExists`.
   */
  deleteRows(request: DeleteRowsRequest): Promise<DeleteRowsResult & Cost>
  /** Writes the default of a new typed column into every row. Idempotent like `load`; `_timestamp` of rows stays. */
  fillColumn(request: FillColumnRequest): Promise<{ snapshot: Snapshot } & Cost>
  /** The same engine, whose work ends with the reason of the signal when it fires, too: DuckDB is interrupted. */
  until(signal: AbortSignal): TableEngine
  /** Whether several rows have the same values in these columns. Then the columns cannot be a key. */
  hasDuplicates(snapshot: Snapshot, columns: string[]): Promise<boolean>
}

interface TableEngineOptions {
  s3: S3Client
  /** Holds the Parquet files. */
  tablesBucket: string
  /** Folder for temporary files, each of which lives no longer than one call. */
  scratchDir: string
  /** Memory limit of DuckDB. The engine itself takes up to about 100 MiB more. */
  memoryLimitMiB: number
  threads: number
  /** See `EngineContext`. */
  roundsNumbers?: boolean
  limits?: Partial<TableLimits>
}

/** The table engine on S3 and DuckDB. Calls are independent and may run in parallel. */
export const createTableEngine = ({ s3, tablesBucket, ...options }: TableEngineOptions): TableEngine =>
  createTableEngineOn(createS3TableFiles({ s3, tablesBucket }), options)

/** Each takes its memory and the threads of one call. */
const QUERIES_AT_ONCE = 2
/** The query after it still has most of the time of a request. */
const LONGEST_WAIT_MS = 10_000

const tooManyQueries = (): UserError =>
  new UserError(
    'storage.tooManyAtOnce',
    `One query of a token runs at a time, and ${QUERIES_AT_ONCE} of all: this one has waited ${LONGEST_WAIT_MS / 1000} seconds. Send it again when others have ended.`,
  )

/** What the calls of an engine share. */
interface Shared {
  pool: DuckDbPool
  takeTurn: TakeTurn
  signal?: AbortSignal
}

/** The same engine on any kind of files. */
export const createTableEngineOn = (
  allFiles: TableFiles,
  options: Omit<TableEngineOptions, 's3' | 'tablesBucket'>,
  shared: Shared = {
    pool: new DuckDbPool(options),
    takeTurn: createTurns({
      most: QUERIES_AT_ONCE,
      refusal: { afterMs: LONGEST_WAIT_MS, error: tooManyQueries },
    }),
  },
): TableEngine => {
  const { scratchDir, memoryLimitMiB, threads, roundsNumbers = false } = options
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const { pool, takeTurn, signal } = shared
  const until = (other: AbortSignal): AbortSignal => (signal ? AbortSignal.any([signal, other]) : other)
  const on = async <Result>(
    session: DuckDbSession,
    work: (context: EngineContext) => Promise<Result>,
  ): Promise<Result & Cost> => {
    const { files, bytesRead } = countReads(allFiles)
    try {
      const result = await work({ session, files, limits, threads, roundsNumbers })
      return { ...result, bytesRead: bytesRead() }
    } finally {
      await session.close()
    }
  }
  const inSession = async <Result>(work: (context: EngineContext) => Promise<Result>) =>
    on(await openDuckDbSession({ pool, threads, signal }), work)
  const inBox = <Result>(query: TableQuery, work: (context: EngineContext) => Promise<Result>) =>
    takeTurn(query.asker, async () =>
      withinBounds(query, async () =>
        on(await openBox({ scratchDir, memoryLimitMiB, threads, signal: until(query.signal) }), work),
      ),
    )
  return {
    load: request => inSession(context => loadTable(context, request)),
    loadTogether: request => inSession(context => loadTogether(context, request)),
    stageRange: request => inSession(context => stageRange(context, request)),
    readParquet: (file, source, show) =>
      inSession(async ({ session }) => {
        const warnings: string[] = []
        const warn = (warning: string): void => void warnings.push(warning)
        let types: FileColumn[] = []
        const tellTypes = (found: FileColumn[]): void => {
          types = found
        }
        await show(recordsOfParquet(session, file, { source, warn, tellTypes }))
        return { warnings, types }
      }),
    commitStaged: request => inSession(context => commitStaged(context, request)),
    count: (snapshot, query) => inSession(context => countRows(context, snapshot, query)),
    preview: (snapshot, query) => inSession(context => previewTable(context, snapshot, query)),
    query: query => inBox(query, context => queryTables(context, query)),
    queryToFile: (query, show) => inBox(query, context => queryToFile(context, query, show)),
    export: request => inSession(context => exportTable(context, request)),
    deleteRows: request => inSession(context => deleteRows(context, request)),
    fillColumn: request => inSession(context => fillColumn(context, request)),
    until: other => createTableEngineOn(allFiles, options, { ...shared, signal: until(other) }),
    hasDuplicates: async (snapshot, columns) => {
      const { found } = await inSession(async context => ({
        found: await hasDuplicates(context, snapshot, columns),
      }))
      return found
    },
  }
}

/** The same files, and how many bytes of tables were read through them. */
const countReads = (files: TableFiles): { files: TableFiles; bytesRead: () => number } => {
  let read = 0
  return {
    files: {
      ...files,
      readRange: async function* (key, range) {
        for await (const bytes of files.readRange(key, range)) {
          read += bytes.length
          yield bytes
        }
      },
    },
    bytesRead: () => read,
  }
}

/** See `TableEngine.hasDuplicates`. Reads these columns only. */
const hasDuplicates = async (
  context: EngineContext,
  snapshot: Snapshot,
  columns: string[],
): Promise<boolean> => {
  if (snapshot.files.length === 0) return false
  const { session } = context
  await session.fitTo(columns.length)
  const wanted = { fields: snapshot.fields.filter(({ name }) => columns.includes(name)) }
  const files = snapshot.files.map((file, index) => ({ file, index }))
  const sources = await openFiles(context, { files, wanted })
  const keys = columns.map(quoteColumn).join(', ')
  const found = await session.query(
    `SELECT 1 FROM (${scanFiles(sources, wanted)}) GROUP BY ${keys} HAVING count(*) > 1 LIMIT 1`,
  )
  return found.length > 0
}
