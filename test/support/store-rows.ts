import type { S3Client } from '@aws-sdk/client-s3'
import type { DuckDbSession } from '#lib/table-engine/duckdb/duckdb-session.ts'
import { quoteIdentifier, quoteLiteral } from '#lib/table-engine/duckdb/sql.ts'
import type { TableField, TableFile } from '#lib/table-engine/files/snapshot.ts'
import { LOAD_ORDER } from '#lib/table-engine/load-order.ts'
import { createS3TableFiles } from '#lib/table-engine/s3-table-files.ts'
import { copyToParquet } from '#lib/table-engine/write-parquet.ts'

interface StoredRows {
  key: string
  rows: readonly Record<string, string>[]
  fields: readonly Pick<TableField, 'id' | 'name'>[]
  loadedAt: Date
  /** Of staged rows: the range of the load that they are. */
  range?: number
}

let stored = 0

/** Stores rows as a file of a table or, with `range`, as the stage step of a large load does. */
export const storeRows = async (
  { session, s3, tablesBucket }: { session: DuckDbSession; s3: S3Client; tablesBucket: string },
  { key, rows, fields, loadedAt, range }: StoredRows,
): Promise<TableFile> => {
  const path = session.scratchPath(`rows-${++stored}.parquet`)
  const values = rows.map((row, index) => {
    const cells = fields.map(({ name }) => `${quoteLiteral(row[name] ?? '')}::VARCHAR`)
    const place = range === undefined ? [] : [`${range}::INTEGER`, `${index}::BIGINT`]
    return `(${[...cells, `make_timestamptz(${loadedAt.getTime()}000)`, ...place].join(', ')})`
  })
  const columns = [
    ...fields.map(({ id, name }) => [range === undefined ? name : `c${id}`, id] as const),
    ['_timestamp', 1] as const,
    ...(range === undefined ? [] : LOAD_ORDER.map(({ id, name }) => [name, id] as const)),
  ]
  const names = columns.map(([name]) => quoteIdentifier(name))
  const { rows: count, bytes } = await copyToParquet(session, {
    select: `SELECT * FROM (VALUES ${values.join(', ')}) AS v(${names.join(', ')})`,
    ids: columns.map(([, id], index) => `${names[index]}: ${id}`),
    path,
  })
  await createS3TableFiles({ s3, tablesBucket }).upload(path, key)
  return { key, rows: count, bytes }
}
