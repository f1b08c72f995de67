import { rm } from 'node:fs/promises'
import { DuckDBBlobValue, type DuckDBValue } from '@duckdb/node-api'
import pMap from 'p-map'
import { UserError } from '../errors.ts'
import type { DuckDbSession } from './duckdb-session.ts'
import { quoteColumn, ROW_PLACE, TIMESTAMP_COLUMN } from './parquet-sql.ts'
import { selectRows } from './select-rows.ts'
import type { Snapshot } from './snapshot.ts'
import { quoteLiteral, quoteTimestamp } from './sql.ts'
import type { PreviewResult } from './table-engine.ts'
import { type TableFiles, TRANSFERS } from './table-files.ts'

/** Numbers that a column's text can be compared or ordered as; text that is none counts as missing. */
export type ComparisonType = 'INTEGER' | 'DOUBLE' | 'BIGINT' | 'REAL' | 'DECIMAL'

/** A condition on one column: `eq` one of the values, `ne` none of them, the others on the first value. */
export interface Filter {
  column: string
  operator: 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le'
  values: string[]
  /** Default: compare as text. */
  dataType?: ComparisonType
}

export interface OrderBy {
  column: string
  order: 'ASC' | 'DESC'
  /** Default: order as text. */
  dataType?: ComparisonType
}

export interface PreviewQuery {
  /** In this order; default: all. */
  columns?: string[]
  limit: number
  /** All of them must hold. */
  where?: Filter[]
  /** Default: the order of the table. */
  orderBy?: OrderBy[]
  /** Rows that a load changed at or after this time. */
  changedSince?: Date
  /** Rows that were last changed before this time. */
  changedUntil?: Date
}

const SQL_OPERATORS = { gt: '>', ge: '>=', lt: '<', le: '<=' } as const

/** 38 digits is what DuckDB has; 9 of them after the point leave 29 before it. */
const SQL_TYPES: Record<ComparisonType, string> = {
  INTEGER: 'INTEGER',
  BIGINT: 'BIGINT',
  REAL: 'REAL',
  DOUBLE: 'DOUBLE',
  DECIMAL: 'DECIMAL(38, 9)',
}

/** See `TableEngine.preview`. */
export const previewTable = async (
  { session, files }: { session: DuckDbSession; files: TableFiles },
  snapshot: Snapshot,
  query: PreviewQuery,
): Promise<PreviewResult> => {
  const columns = query.columns && query.columns.length > 0 ? query.columns : snapshot.columns
  const orderBy = query.orderBy ?? []
  refuseUnknownColumns(snapshot, [
    ...columns,
    ...(query.where ?? []).map(({ column }) => column),
    ...orderBy.map(({ column }) => column),
  ])
  await session.fitTo(snapshot.columns.length)
  const read = async (paths: string[], limit: number): Promise<string[][]> => {
    const { values, from } = await selectRows(session, { paths, columns: snapshot.columns })
    const rows = await session.query(`
      SELECT ${columns.map(column => `encode(${quoteColumn(column)})`).join(', ')}
      FROM (SELECT ${values}, ${ROW_PLACE} FROM ${from})
      WHERE ${conditions(query).join(' AND ') || 'true'}
      ORDER BY ${[...orderBy.map(orderTerm), 'file_index', 'file_row'].join(', ')}
      LIMIT ${limit}`)
    return rows.map(row => row.map(toText))
  }
  const download = async (index: number, key: string): Promise<string> => {
    const path = session.scratchPath(`preview-${index}.parquet`)
    await files.download(key, path)
    return path
  }
  if (orderBy.length > 0 && snapshot.files.length > 0) {
    const paths = await pMap(snapshot.files, ({ key }, index) => download(index, key), {
      concurrency: TRANSFERS,
    })
    return { columns, rows: await read(paths, query.limit) }
  }
  // In the order of the table the first files usually have enough rows.
  const rows: string[][] = []
  for (const [index, { key }] of snapshot.files.entries()) {
    if (rows.length >= query.limit) break
    const path = await download(index, key)
    rows.push(...(await read([path], query.limit - rows.length)))
    await rm(path)
  }
  return { columns, rows }
}

/** DuckDB's Node client drops a byte order mark at the start of a text; of bytes it drops nothing. */
const toText = (value: DuckDBValue): string => {
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString('utf8')
  throw new Error(`A cell is no text but ${typeof value}.`)
}

const conditions = ({ where = [], changedSince, changedUntil }: PreviewQuery): string[] => [
  ...where.map(condition),
  ...(changedSince ? [`${TIMESTAMP_COLUMN} >= ${quoteTimestamp(changedSince)}`] : []),
  ...(changedUntil ? [`${TIMESTAMP_COLUMN} < ${quoteTimestamp(changedUntil)}`] : []),
]

const condition = ({ column, operator, values, dataType }: Filter): string => {
  const left = comparable(quoteColumn(column), dataType)
  const right = values.map(value => comparable(quoteUserText(value), dataType))
  if (operator === 'eq') return right.length === 0 ? 'false' : `${left} IN (${right.join(', ')})`
  if (operator === 'ne') return right.length === 0 ? 'true' : `${left} NOT IN (${right.join(', ')})`
  return right[0] === undefined ? 'false' : `${left} ${SQL_OPERATORS[operator]} ${right[0]}`
}

const orderTerm = ({ column, order, dataType }: OrderBy): string =>
  `${comparable(quoteColumn(column), dataType)} ${order === 'DESC' ? 'DESC' : 'ASC'} NULLS LAST`

const comparable = (sql: string, dataType: ComparisonType | undefined): string =>
  dataType === undefined ? sql : `TRY_CAST(${sql} AS ${SQL_TYPES[dataType]})`

const quoteUserText = (text: string): string => {
  if (text.includes('\0')) {
    throw new UserError('storage.tables.validation', 'A value to compare with cannot hold a NUL character.')
  }
  return quoteLiteral(text)
}

const refuseUnknownColumns = (snapshot: Snapshot, columns: string[]): void => {
  const unknown = columns.find(column => !snapshot.columns.includes(column))
  if (unknown === undefined) return
  throw new UserError(
    'storage.tables.validation.columnNotExists',
    `The table has no column ${JSON.stringify(unknown)}. Its columns are: ${snapshot.columns.join(', ')}.`,
    { params: { column: unknown } },
  )
}
