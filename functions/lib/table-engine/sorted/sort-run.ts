import { parquetForm, readParquet } from '../duckdb/parquet-sql.ts'
import { quoteLiteral } from '../duckdb/sql.ts'
import type { EngineContext } from '../files/engine-context.ts'
import { columnNames, type Snapshot } from '../files/snapshot.ts'
import type { ObjectAddress } from '../files/table-files.ts'
import { columnsToRead, exportedColumns } from '../rows/export-columns.ts'
import type { ExportRequest } from '../rows/export-request.ts'
import { findFiles } from '../rows/find-rows.ts'
import { closeFiles, openFiles } from '../rows/open-files.ts'
import {
  conditionsSql,
  ORDERED_ROWS,
  type OrderBy,
  orderTerm,
  ROW_PLACE_TERMS,
  refuseUnknownColumns,
  refuseUnknownConditions,
} from '../rows/row-conditions.ts'
import { scanFiles } from '../rows/scan-files.ts'

/** Small, so that a range of the order needs little more of a run than its own rows. A multiple of DuckDB's vectors. */
const ROWS_IN_GROUP = 10 * 2048

/** Of a key of very long values only its beginning is told apart from others. */
const KEY_BYTES = 1000

export interface SortRunRequest extends Omit<ExportRequest, 'gzip'> {
  /** The place of these files in the table, among the parts that are sorted apart from each other. */
  part: number
  /** The file to write, in the tables bucket. */
  target: ObjectAddress
}

/** The rows of a part of a table in the order of an export, as one Parquet file. */
export interface SortedRun {
  key: string
  bytes: number
  rows: number
  /** The sort key of the first row of each row group, in hexadecimal; of a long one its beginning. */
  firstKeys: string[]
}

/**
 * Sorts a part of a table. Each run has the columns `c0`, `c1`, ... of the export and `sort_key`. Resolves to
 * `undefined` when no row matches.
 */
export const sortRun = async (
  context: EngineContext,
  request: SortRunRequest,
): Promise<SortedRun | undefined> => {
  const { session } = context
  const { snapshot, columns = [], orderBy = [], limit, part, target } = request
  refuseUnknownColumns(columnNames(snapshot), columns)
  refuseUnknownConditions(columnNames(snapshot), request)
  await session.fitTo(snapshot.fields.length)
  const wanted = columnsToRead(request)
  const sources = await openFiles(context, { files: findFiles(snapshot, request), wanted })
  if (sources.length === 0) return undefined
  const path = session.scratchPath('run.parquet')
  const values = exportedColumns(request).map(({ sql }, index) => `${sql} AS c${index}`)
  const [[count] = []] = await session.runInOrder(`
    COPY (
      SELECT ${[...values, `${sortKeySql(snapshot, orderBy, part)} AS sort_key`].join(', ')}
      FROM (${scanFiles(sources, wanted)}) AS ${ORDERED_ROWS}
      WHERE ${conditionsSql(request, snapshot) ?? 'true'}
      ORDER BY sort_key
      ${limit === undefined ? '' : `LIMIT ${limit}`}
    ) TO ${quoteLiteral(path)} (${parquetForm(values.length)},
      ROW_GROUP_SIZE ${ROWS_IN_GROUP}, ROW_GROUP_SIZE_BYTES '64MB')`)
  await closeFiles(sources)
  const rows = Number(count)
  if (rows === 0) return undefined
  const bytes = await context.files.writeDataFile(path, target)
  return { key: target.key, bytes, rows, firstKeys: await readFirstKeys(context, path) }
}

const readFirstKeys = async ({ session }: EngineContext, path: string): Promise<string[]> => {
  const groups = await session.runInOrder(`
    SELECT DISTINCT row_group_id, row_group_num_rows FROM parquet_metadata(${quoteLiteral(path)}) ORDER BY row_group_id`)
  let next = 0
  const firstRows = groups.map(([, rows]) => {
    const first = next
    next += Number(rows)
    return first
  })
  const keys = await session.runInOrder(`
    SELECT left(hex(sort_key), ${2 * KEY_BYTES}) FROM ${readParquet([path])}
    WHERE file_row_number IN (${firstRows.join(', ')}) ORDER BY file_row_number`)
  return keys.map(([key]) => String(key))
}

/**
 * The order of rows as one BLOB, whose bytes compare as the rows do: by these terms, then by the part of the table, the
 * file and the place in it. So it is the order of an export by one function, and no two rows have the same.
 */
const sortKeySql = (table: Pick<Snapshot, 'fields'>, orderBy: OrderBy[], part: number): string => {
  const places = [`${part}::INTEGER`, ...ROW_PLACE_TERMS].map(value => ({ value, order: 'ASC' }))
  const terms = [...orderBy.map(orderTerm(table)), ...places]
  return `create_sort_key(${terms.map(({ value, order }) => `${value}, ${quoteLiteral(`${order} NULLS LAST`)}`).join(', ')})`
}
