import type { DuckDbSession } from '../duckdb/duckdb-session.ts'
import type { TableFiles } from './table-files.ts'

/** Sizes that trade memory, disk and the number of files against each other. Tests make them small. */
export interface TableLimits {
  /**
   * Bytes of CSV in one Parquet file. Each thread works on one chunk, two more wait on disk and one is being read. So this
   * decides the memory of a load (about 210 MiB at 8 MiB and two threads, 320 at 16, in the same time). At some MB of
   * Parquet the first rows of any table are also read with one short download.
   */
  chunkBytes: number
  /** Parquet files below this size are small. */
  smallFileBytes: number
  /** A load that leaves more small files than this merges them into one. */
  maxSmallFiles: number
}

export const DEFAULT_LIMITS: TableLimits = {
  chunkBytes: 8 * 1024 * 1024,
  smallFileBytes: 256 * 1024,
  maxSmallFiles: 8,
}

/** Everything that one call of the engine needs. */
export interface EngineContext {
  session: DuckDbSession
  files: TableFiles
  limits: TableLimits
  threads: number
  /** Numbers with more digits than their column holds are rounded. Otherwise they are refused. */
  roundsNumbers: boolean
}
