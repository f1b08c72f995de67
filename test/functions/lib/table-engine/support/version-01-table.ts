import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { quoteColumn } from '#lib/table-engine/parquet-sql.ts'
import { emptySnapshot, type Snapshot, withFiles } from '#lib/table-engine/snapshot.ts'
import { quoteLiteral } from '#lib/table-engine/sql.ts'
import type { TableFixture } from './table-fixture.ts'

/** A table as version 0.1 left it: one Parquet file without field ids, with times that have no zone. */
export const writeVersion01Table = async (
  { folder }: Pick<TableFixture, 'folder'>,
  {
    key,
    columns,
    primaryKey,
    rows,
  }: { key: string; columns: string[]; primaryKey: string[]; rows: string[][] },
): Promise<Snapshot> => {
  const file = path.join(folder, 'tables', key)
  await mkdir(path.dirname(file), { recursive: true })
  const values = rows.map(cells => `(${cells.map(quoteLiteral).join(', ')}, TIMESTAMP '2023-01-01')`)
  const names = [...columns, '_timestamp'].map(quoteColumn)
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    const [stats] = (
      await connection.runAndReadAll(
        `COPY (SELECT * FROM (VALUES ${values.join(', ')}) AS rows(${names.join(', ')}))
        TO ${quoteLiteral(file)} (FORMAT parquet, RETURN_STATS)`,
      )
    ).getRows()
    const empty = emptySnapshot(columns, primaryKey)
    return withFiles({ ...empty, lastNameMappedId: empty.lastFieldId }, [
      { key, rows: rows.length, bytes: Number(stats?.[2]), hasFieldIds: false },
    ])
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
