import { open } from 'node:fs/promises'
import type { DuckDbSession } from './duckdb/duckdb-session.ts'
import { parquetForm, quoteColumn, storedName, TIMESTAMP_COLUMN } from './duckdb/parquet-sql.ts'
import { quoteLiteral } from './duckdb/sql.ts'
import { type ParquetFooter, parseFooter } from './files/footer.ts'
import { LOAD_ORDER, type TableField, TIMESTAMP_ID } from './files/snapshot.ts'
import type { LocalFile } from './local-file.ts'
import { DIGEST_COLUMN, DIGEST_ID, digestSql } from './rows/row-digest.ts'

/** Row groups are bounded in bytes so that wide rows do not pile up in memory. */
const GROUPS = "ROW_GROUP_SIZE_BYTES '64MB', RETURN_STATS"

interface WriteParquetRequest {
  /** Name of the file, unique in the session. */
  name: string
  /** Rows with the columns `quoteColumn(...)` of `fields`, and `_timestamp`. */
  select: string
  fields: TableField[]
  /** The table has a primary key: its files hold a digest of each row. */
  isKeyed: boolean
  /** The rows have the columns of `LOAD_ORDER`, too. */
  hasLoadOrder?: boolean
  /** Default: `<name>.parquet` in the session's folder. */
  path?: string
}

/** Writes the rows of `select`, in their order, to a new local Parquet file with field ids. */
export const writeParquet = async (
  session: DuckDbSession,
  {
    name,
    select,
    fields,
    isKeyed,
    hasLoadOrder = false,
    path = session.scratchPath(`${name}.parquet`),
  }: WriteParquetRequest,
): Promise<LocalFile> => {
  const columns = [
    ...fields.map(field => ({ id: field.id, sql: quoteColumn(field.name), as: quoteColumn(field.name) })),
    { id: TIMESTAMP_ID, sql: `make_timestamptz(epoch_us(${TIMESTAMP_COLUMN}))`, as: TIMESTAMP_COLUMN },
    ...(isKeyed ? [{ id: DIGEST_ID, sql: digestSql(fields), as: DIGEST_COLUMN }] : []),
    ...(hasLoadOrder ? LOAD_ORDER.map(({ id, name }) => ({ id, sql: name, as: name })) : []),
  ]
  const values = columns.map(({ sql, as }) => (sql === as ? sql : `${sql} AS ${as}`))
  const { rows, bytes, footerBytes } = await copyToParquet(session, {
    select: `SELECT ${values.join(', ')} FROM (${select})`,
    ids: columns.map(({ id, as }) => `${as}: ${id}`),
    path,
    icebergSchema: icebergSchema(fields, hasLoadOrder),
  })
  return { name, path, rows, bytes, footer: await readLocalFooter(path, { bytes, footerBytes }) }
}

/**
 * The columns as Iceberg's own writers note them in a file. Some readers find columns by it and pass over the ids in the
 * Parquet schema: without it a new column of a deleted one's name would show the old values there.
 */
const icebergSchema = (fields: TableField[], hasLoadOrder: boolean): string =>
  JSON.stringify({
    type: 'struct',
    'schema-id': 0,
    fields: [
      ...fields.map(({ id, name, type }) => ({ id, name: storedName(name), required: false, type })),
      { id: TIMESTAMP_ID, name: '_timestamp', required: false, type: 'timestamptz' },
      ...(hasLoadOrder ? LOAD_ORDER.map(column => ({ ...column, required: true })) : []),
    ],
  })

/** Writes any rows with these field ids, each as `<column>: <id>`. */
export const copyToParquet = async (
  session: DuckDbSession,
  {
    select,
    ids,
    path,
    icebergSchema,
  }: { select: string; ids: string[]; path: string; icebergSchema?: string },
): Promise<{ rows: number; bytes: number; footerBytes: number }> => {
  const notes = icebergSchema ? `, KV_METADATA {'iceberg.schema': ${quoteLiteral(icebergSchema)}}` : ''
  const [stats = []] = await session.runInOrder(
    `COPY (${select}) TO ${quoteLiteral(path)} (${parquetForm(ids.length)}, ${GROUPS}, FIELD_IDS {${ids.join(', ')}}${notes})`,
  )
  // RETURN_STATS gives one row: file name, rows, bytes, bytes of the footer, ...
  const [, rows, bytes, footerBytes] = stats.map(Number)
  return { rows: rows ?? 0, bytes: bytes ?? 0, footerBytes: footerBytes ?? 0 }
}

/** Read back rather than taken from RETURN_STATS, whose texts have lost a byte order mark at their start. */
const readLocalFooter = async (
  path: string,
  { bytes, footerBytes }: { bytes: number; footerBytes: number },
): Promise<ParquetFooter> => {
  const length = Math.min(bytes, footerBytes + FOOTER_END_ROOM)
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, bytes - length)
    return parseFooter(buffer)
  } finally {
    await file.close()
  }
}

/** The end of a footer has 8 bytes more. */
const FOOTER_END_ROOM = 16
