import { rm } from 'node:fs/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import { syncFile } from './sync-file.ts'

/**
 * Seconds that DuckDB alone takes from a local CSV file to a local Parquet file, with what a careful user would write:
 * all columns as text, a header, its own defaults for the rest. The file is synced, as ours are.
 */
export const timeDuckDbAlone = async (csv: string): Promise<number> => {
  const parquet = `${csv}.parquet`
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    const start = performance.now()
    await connection.run(
      `COPY (SELECT * FROM read_csv('${csv}', header = true, all_varchar = true)) TO '${parquet}' (FORMAT parquet)`,
    )
    await syncFile(parquet)
    return (performance.now() - start) / 1000
  } finally {
    connection.closeSync()
    instance.closeSync()
    await rm(parquet, { force: true })
  }
}
