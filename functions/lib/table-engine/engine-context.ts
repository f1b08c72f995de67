import type { DuckDbSession } from './duckdb-session.ts'
import type { TableFiles } from './table-files.ts'

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

/** What one call of the engine works with. */
export interface EngineContext {
  session: DuckDbSession
  files: TableFiles
  limits: TableLimits
  threads: number
}
