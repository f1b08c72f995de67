import { DuckDBBlobValue, type DuckDBValue } from '@duckdb/node-api'
import { quoteColumn } from './duckdb/parquet-sql.ts'
import type { EngineContext } from './files/engine-context.ts'
import { columnNames, liveRows, type Snapshot } from './files/snapshot.ts'
import { findFiles, neededColumns } from './rows/find-rows.ts'
import { closeFiles, type OpenSource, openFiles } from './rows/open-files.ts'
import { createReadLimit } from './rows/read-limit.ts'
import {
  conditionsSql,
  ORDERED_ROWS,
  type OrderBy,
  orderSql,
  type RowConditions,
  refuseUnknownColumns,
  refuseUnknownConditions,
} from './rows/row-conditions.ts'
import { scanFiles } from './rows/scan-files.ts'
import { textSql } from './types/cell-sql.ts'

export interface PreviewQuery extends RowConditions {
  /** In this order; default: all. */
  columns?: string[]
  limit: number
  /** So many of the rows are left out before. */
  offset?: number
  /** Default: the order of the table. */
  orderBy?: OrderBy[]
  /** Of the columns that are shown, compared and ordered by, as stored; with a filter or an order. Default: no limit. */
  maxBytes?: number
}

/** Rows of cells in their text form, in the order of `columns`. NULL is only in typed tables. */
export interface PreviewResult {
  columns: string[]
  rows: (string | null)[][]
}

/** See `TableEngine.preview`. */
export const previewTable = async (
  context: EngineContext,
  snapshot: Snapshot,
  query: PreviewQuery,
): Promise<PreviewResult> => {
  const all = columnNames(snapshot)
  const columns = query.columns && query.columns.length > 0 ? query.columns : all
  const orderBy = query.orderBy ?? []
  refuseUnknownColumns(all, columns)
  refuseUnknownConditions(all, query)
  const where = conditionsSql(query, snapshot) ?? 'true'
  const { session } = context
  await session.fitTo(all.length)
  const files = findFiles(snapshot, query)
  const wanted = neededColumns(snapshot, { ...query, columns })
  const isWhole = where === 'true'
  // With a filter or an order there may be much to read before the first row is found.
  const countRead = createReadLimit(wanted, !isWhole || orderBy.length > 0 ? query.maxBytes : undefined)
  const fields = new Map(snapshot.fields.map(field => [field.name, field]))
  const shown = columns.map(name => {
    const field = fields.get(name)
    return `encode(${field ? textSql(quoteColumn(name), field) : quoteColumn(name)})`
  })
  const read = async (sources: OpenSource[], limit: number, offset = 0): Promise<PreviewResult['rows']> => {
    const rows = await session.query(`
      SELECT ${shown.join(', ')}
      FROM (${scanFiles(sources, wanted)}) AS ${ORDERED_ROWS}
      WHERE ${where}
      ORDER BY ${orderSql(snapshot, orderBy)}
      LIMIT ${limit} OFFSET ${offset}`)
    return rows.map(row => row.map(toText))
  }
  const count = async (sources: OpenSource[]): Promise<number> => {
    const [[found] = []] = await session.query(
      `SELECT count(*) FROM (${scanFiles(sources, wanted)}) WHERE ${where}`,
    )
    return Number(found ?? 0)
  }
  if (orderBy.length > 0) {
    countRead(files.map(({ file }) => file))
    const sources = await openFiles(context, { files, wanted })
    return { columns, rows: sources.length === 0 ? [] : await read(sources, query.limit, query.offset) }
  }
  // In table order the first file usually has enough rows.
  const rows: PreviewResult['rows'] = []
  let skipped = query.offset ?? 0
  for (const indexed of files) {
    if (rows.length >= query.limit) break
    if (isWhole && liveRows(indexed.file) <= skipped) {
      skipped -= liveRows(indexed.file)
      continue
    }
    countRead([indexed.file])
    const sources = await openFiles(context, { files: [indexed], wanted })
    const matching = skipped === 0 || isWhole ? Infinity : await count(sources)
    if (matching > skipped) rows.push(...(await read(sources, query.limit - rows.length, skipped)))
    skipped = Math.max(0, skipped - matching)
    await closeFiles(sources)
  }
  return { columns, rows }
}

/** Reads bytes, because DuckDB's Node client drops a byte order mark at the start of a text. */
const toText = (value: DuckDBValue): string | null => {
  if (value === null) return null
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString('utf8')
  throw new Error(`A cell is no text but ${typeof value}.`)
}
