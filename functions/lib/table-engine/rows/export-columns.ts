import { quoteColumn, TIMESTAMP_COLUMN } from '../duckdb/parquet-sql.ts'
import { quoteIdentifier, quoteLiteral } from '../duckdb/sql.ts'
import { columnNames } from '../files/snapshot.ts'
import { textSql } from '../types/cell-sql.ts'
import type { ExportRequest } from './export-request.ts'
import { neededColumns } from './find-rows.ts'
import type { WantedColumns } from './scan-files.ts'

type Selected = Pick<ExportRequest, 'snapshot' | 'columns' | 'timestampZone' | 'fileType'>

/** A column of an export: its name, and its value as SQL over `scanFiles`. */
interface ExportedColumn {
  name: string
  sql: string
}

/** The wanted columns in their order, then the timestamp. CSV and JSON have values in their text form, Parquet as they are. */
const exportedColumns = ({ snapshot, columns, timestampZone, fileType }: Selected): ExportedColumn[] => {
  const wanted = columns && columns.length > 0 ? [...new Set(columns)] : columnNames(snapshot)
  const fields = new Map(snapshot.fields.map(field => [field.name, field]))
  const values = wanted.map((name): ExportedColumn => {
    const field = fields.get(name)
    const value = quoteColumn(name)
    return { name, sql: field && fileType !== 'parquet' ? textSql(value, field) : value }
  })
  return timestampZone === undefined
    ? values
    : [...values, { name: '_timestamp', sql: timestampText(timestampZone) }]
}

/** The columns as a SELECT list. */
export const selectSql = (request: Selected): string => {
  const columns = exportedColumns(request)
  return `SELECT ${columns.map(({ name, sql }) => `${sql} AS ${quoteIdentifier(name)}`).join(', ')}`
}

/** What must be read of the table's files for an export. */
export const columnsToRead = (request: Omit<ExportRequest, 'target' | 'gzip'>): WantedColumns => {
  const { snapshot, columns = [], timestampZone } = request
  return neededColumns(snapshot, {
    ...request,
    columns: columns.length > 0 ? columns : columnNames(snapshot),
    timestamp: timestampZone !== undefined,
  })
}

/** Stored times are UTC without a zone: the first conversion adds the zone, the second moves to the wanted one. */
const timestampText = (zone: string): string =>
  `strftime((${TIMESTAMP_COLUMN} AT TIME ZONE 'UTC') AT TIME ZONE ${quoteLiteral(zone)}, '%Y-%m-%d %H:%M:%S')`
