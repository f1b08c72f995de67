import type { ExportRequest } from './export-request.ts'
import { quoteColumn, TIMESTAMP_COLUMN } from './parquet-sql.ts'
import { columnNames } from './snapshot.ts'
import { quoteIdentifier, quoteLiteral } from './sql.ts'
import { textSql } from './types/cell-sql.ts'

/**
 * The SELECT list of an export from `selectRows`: the wanted columns under their own names, and the timestamp. CSV has
 * values in their text form, Parquet as they are.
 */
export const exportColumns = ({
  snapshot,
  columns,
  timestampZone,
  fileType,
}: Pick<ExportRequest, 'snapshot' | 'columns' | 'timestampZone' | 'fileType'>): string => {
  const wanted = columns && columns.length > 0 ? [...new Set(columns)] : columnNames(snapshot)
  const fields = new Map(snapshot.fields.map(field => [field.name, field]))
  const values = wanted.map(column => {
    const field = fields.get(column)
    const value = quoteColumn(column)
    return `${field && fileType === 'csv' ? textSql(value, field) : value} AS ${quoteIdentifier(column)}`
  })
  if (timestampZone !== undefined) values.push(`${timestampText(timestampZone)} AS ${TIMESTAMP_COLUMN}`)
  return `SELECT ${values.join(', ')}`
}

/** Stored times are UTC without a zone: the first conversion adds the zone, the second moves to the wanted one. */
const timestampText = (zone: string): string =>
  `strftime((${TIMESTAMP_COLUMN} AT TIME ZONE 'UTC') AT TIME ZONE ${quoteLiteral(zone)}, '%Y-%m-%d %H:%M:%S')`
