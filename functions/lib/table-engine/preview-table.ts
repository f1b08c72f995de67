import { rm } from 'node:fs/promises'
import { DuckDBBlobValue, type DuckDBValue } from '@duckdb/node-api'
import pMap from 'p-map'
import type { EngineContext } from './engine-context.ts'
import { quoteColumn, ROW_PLACE } from './parquet-sql.ts'
import {
  conditionsSql,
  type OrderBy,
  orderTerm,
  type RowConditions,
  refuseUnknownColumns,
} from './row-conditions.ts'
import { selectRows } from './select-rows.ts'
import { columnNames, type Snapshot } from './snapshot.ts'
import { TRANSFERS } from './table-files.ts'

export interface PreviewQuery extends RowConditions {
  /** In this order; default: all. */
  columns?: string[]
  limit: number
  /** Default: the order of the table. */
  orderBy?: OrderBy[]
}

/** Rows of text cells, in the order of `columns`. */
export interface PreviewResult {
  columns: string[]
  rows: string[][]
}

/** See `TableEngine.preview`. */
export const previewTable = async (
  { session, files }: Pick<EngineContext, 'session' | 'files'>,
  snapshot: Snapshot,
  query: PreviewQuery,
): Promise<PreviewResult> => {
  const columns = query.columns && query.columns.length > 0 ? query.columns : columnNames(snapshot)
  const orderBy = query.orderBy ?? []
  refuseUnknownColumns(columnNames(snapshot), [
    ...columns,
    ...(query.where ?? []).map(({ column }) => column),
    ...orderBy.map(({ column }) => column),
  ])
  await session.fitTo(columnNames(snapshot).length)
  const read = async (paths: string[], limit: number): Promise<string[][]> => {
    const { values, from } = await selectRows(session, { paths, columns: columnNames(snapshot) })
    const rows = await session.query(`
      SELECT ${columns.map(column => `encode(${quoteColumn(column)})`).join(', ')}
      FROM (SELECT ${values}, ${ROW_PLACE} FROM ${from})
      WHERE ${conditionsSql(query, columnNames(snapshot)) ?? 'true'}
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
  // In table order the first files usually have enough rows.
  const rows: string[][] = []
  for (const [index, { key }] of snapshot.files.entries()) {
    if (rows.length >= query.limit) break
    const path = await download(index, key)
    rows.push(...(await read([path], query.limit - rows.length)))
    await rm(path)
  }
  return { columns, rows }
}

/** Reads bytes, because DuckDB's Node client drops a byte order mark at the start of a text. */
const toText = (value: DuckDBValue): string => {
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString('utf8')
  throw new Error(`A cell is no text but ${typeof value}.`)
}
