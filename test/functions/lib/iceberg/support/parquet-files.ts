import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { quoteIdentifier, quoteLiteral } from '#lib/table-engine/duckdb/sql.ts'

/** A column of a file to write; without an id in a file as version 0.1 wrote it. */
export interface FileColumn {
  id?: number
  name: string
  /** DuckDB's type, default VARCHAR. */
  type?: string
}

/** Parquet files written by DuckDB, as the engine writes them. */
export const createParquetFiles = async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'millrace-iceberg-'))
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  let files = 0
  return {
    /** The bytes of a file with these rows, whose cells are SQL texts of their values. */
    async write(columns: readonly FileColumn[], rows: readonly (readonly (string | null)[])[]) {
      const target = path.join(folder, `${files++}.parquet`)
      const cells = rows.map(
        row => `(${row.map(cell => (cell === null ? 'NULL' : quoteLiteral(cell))).join(', ')})`,
      )
      const names = columns.map(({ name }) => quoteIdentifier(name))
      const values = cells.length > 0 ? cells.join(', ') : `(${columns.map(() => 'NULL').join(', ')})`
      const selected = columns.map(
        ({ type = 'VARCHAR' }, index) => `${names[index]}::${type} AS ${names[index]}`,
      )
      const ids = columns.flatMap(({ id }, index) => (id === undefined ? [] : [`${names[index]}: ${id}`]))
      const fieldIds = ids.length > 0 ? `, FIELD_IDS {${ids.join(', ')}}` : ''
      // Other readers look for the ids of columns here when they pass over those of Parquet.
      const schema = JSON.stringify({ fields: columns.map(({ id, name }) => ({ id, name })) })
      const metadata = ids.length > 0 ? `, KV_METADATA {'iceberg.schema': ${quoteLiteral(schema)}}` : ''
      await connection.run(
        `COPY (SELECT ${selected.join(', ')} FROM (VALUES ${values}) rows(${names.join(', ')}) ${cells.length > 0 ? '' : 'LIMIT 0'})
         TO ${quoteLiteral(target)} (FORMAT parquet, COMPRESSION zstd${fieldIds}${metadata})`,
      )
      return readFile(target)
    },
    async close() {
      connection.closeSync()
      instance.closeSync()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type ParquetFiles = Awaited<ReturnType<typeof createParquetFiles>>
