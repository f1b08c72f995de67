import { randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'

/** A Parquet file that DuckDB writes of a query. */
export const parquetOf = async (query: string, options = ''): Promise<Buffer> => {
  const file = join(tmpdir(), `${randomUUID()}.parquet`)
  const engine = await DuckDBInstance.create()
  try {
    const connection = await engine.connect()
    await connection.run(`SET TimeZone = 'UTC'; COPY (${query}) TO '${file}' (FORMAT parquet${options})`)
    return await readFile(file)
  } finally {
    engine.closeSync()
    await rm(file, { force: true })
  }
}
