import { decimalOf } from '../../iceberg/metadata/types.ts'
import { quoteColumn, readParquet, TIMESTAMP_COLUMN } from '../duckdb/parquet-sql.ts'
import { quoteIdentifier, quoteList } from '../duckdb/sql.ts'
import type { ParquetColumn } from '../files/footer.ts'
import { type TableField, TIMESTAMP_ID } from '../files/snapshot.ts'
import type { OpenFile } from '../parquet/open-table-file.ts'
import { duckDbType, isTyped } from '../types/field-type.ts'
import { DIGEST_COLUMN, DIGEST_ID } from './row-digest.ts'

type StoredFile = Pick<OpenFile, 'footer'>

/** Position deletes of a file. */
export interface DeletesSource {
  /** Number of the data file in the result. */
  index: number
  /** A local file, and the data file's name in it. */
  deletes: { path: string; location: string }
}

/** A file whose wanted columns are here. */
export interface ScanSource extends StoredFile, Pick<DeletesSource, 'index'> {
  path: string
  deletes?: DeletesSource['deletes'] | undefined
}

export interface WantedColumns {
  fields: TableField[]
  timestamp?: boolean
  digest?: boolean
}

/**
 * The live rows of files of one table, whatever columns it had when they were written. A column that a file lacks is
 * empty there, or NULL in a typed table.
 *
 * The result is a SELECT of `quoteColumn(...)` of the wanted fields, `_timestamp` and `_digest` if wanted, `file_index`
 * (the `index` of the source) and `file_row` (in each file, from 0, deleted rows counted).
 */
export const scanFiles = (sources: ScanSource[], wanted: WantedColumns): string => {
  const parts = Map.groupBy(sources, source => scanOf(source, wanted))
  const scans = [...parts.values()].map(part => {
    const values = part.slice(0, 1).flatMap(source => columnsSql(source, wanted))
    const columns = [...values, fileIndexSql(part), 'file_row_number::BIGINT AS file_row']
    return `SELECT ${columns.join(', ')} FROM ${readParquet(part.map(({ path }) => path))}`
  })
  const rows = scans.join(' UNION ALL ')
  const deleted = sources.flatMap(({ index, deletes }) => (deletes ? [{ index, deletes }] : []))
  if (deleted.length === 0) return rows
  return `SELECT * FROM (${rows}) ANTI JOIN (${scanDeletes(deleted)}) USING (file_index, file_row)`
}

/** Files of which this is the same are read by one scan: their columns have the same names and forms, and are read alike. */
export const scanOf = (source: ScanSource, wanted: WantedColumns): string =>
  JSON.stringify([source.footer.columns, columnsSql(source, wanted)])

/** The positions that are deleted in files, as `file_index` and `file_row`. */
export const scanDeletes = (sources: DeletesSource[]): string => {
  const locations = quoteList(sources.map(({ deletes }) => deletes.location))
  return `
    SELECT ${fileIndexSql(sources)}, pos AS file_row
    FROM ${readParquet(sources.map(({ deletes }) => deletes.path))} AS deletes
    WHERE file_path = ${locations}[deletes.file_index::BIGINT + 1]`
}

/** The places in the footer of a file of the wanted columns that it has. */
export const storedColumns = (file: StoredFile, wanted: WantedColumns): number[] =>
  [
    ...wanted.fields.map(({ id }) => findColumn(file, id)),
    ...(wanted.timestamp ? [findColumn(file, TIMESTAMP_ID)] : []),
    ...(wanted.digest ? [findDigest(file)] : []),
  ].filter(place => place !== -1)

const findColumn = ({ footer }: StoredFile, id: number): number =>
  footer.columns.findIndex(column => column.id === id)

export const findDigest = (file: StoredFile): number => findColumn(file, DIGEST_ID)

const columnsSql = (
  source: ScanSource,
  { fields, timestamp = false, digest = false }: WantedColumns,
): string[] => [
  ...fields.map(field => {
    const place = findColumn(source, field.id)
    return `${fieldSql(source, field, place)} AS ${quoteColumn(field.name)}`
  }),
  ...(timestamp
    ? [`${timestampSql(source.footer.columns[findColumn(source, TIMESTAMP_ID)])} AS ${TIMESTAMP_COLUMN}`]
    : []),
  ...(digest ? [DIGEST_COLUMN] : []),
]

const fieldSql = ({ footer }: ScanSource, field: TableField, place: number): string => {
  const column = footer.columns[place]
  if (isTyped(field)) return typedFieldSql(column, field)
  if (!column) return "''"
  const name = quoteIdentifier(column.name)
  // Our files hold no nulls. Those of other engines may.
  const hasNoNulls = footer.rowGroups.every(({ chunks }) => chunks[place]?.nulls === 0)
  return hasNoNulls ? name : `coalesce(${name}, '')`
}

/** A decimal may have got more digits since the file was written. */
const typedFieldSql = (column: ParquetColumn | undefined, { type }: TableField): string =>
  column && !decimalOf(type)
    ? quoteIdentifier(column.name)
    : `${column ? quoteIdentifier(column.name) : 'NULL'}::${duckDbType(type)}`

/** Without a calendar, which `AT TIME ZONE` would need for each row. */
const timestampSql = (column: ParquetColumn | undefined): string => {
  if (!column) throw new Error('A file of a table has no column _timestamp.')
  return `make_timestamp(epoch_us(${quoteIdentifier(column.name)}))`
}

const fileIndexSql = (sources: Pick<DeletesSource, 'index'>[]): string =>
  `[${sources.map(({ index }) => index).join(', ')}][file_index::BIGINT + 1]::BIGINT AS file_index`
