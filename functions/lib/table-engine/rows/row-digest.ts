import { decimalOf, type FieldType } from '../../iceberg/metadata/types.ts'
import { quoteColumn } from '../duckdb/parquet-sql.ts'
import { quoteIdentifier } from '../duckdb/sql.ts'
import type { TableField } from '../files/snapshot.ts'

/**
 * A column of the files of tables with a primary key: a digest of all values of the row. A keyed load reads it instead
 * of the values to find most of the rows that change. Other engines pass over it, as no table has a column of its id.
 *
 * Different digests mean different rows. Equal digests only make equal rows likely: 4 bytes are cheap to read, and what
 * seems unchanged is compared by value. So the kind of the digest may change with DuckDB's `hash`; older files then
 * cost more to read until they are rewritten, and get another id below.
 */
export const DIGEST_COLUMN = quoteIdentifier('_digest')

/**
 * Of the ids that Iceberg reserves (above 2147483447), one that no column of its own has: ClickHouse refuses files with another id that
 * no schema knows. Files from before have 2147483000 or 2147483500, and are compared by value.
 */
export const DIGEST_ID = 2147483501

/** Always in the order of the ids, so that a new column does not change the order of the others. */
export const byId = <Field extends Pick<TableField, 'id'>>(fields: Field[]): Field[] =>
  fields.toSorted((a, b) => a.id - b.id)

/** Signed: Spark reads no file row by row, as its streams do, in which any column is not. */
export const digestSql = (fields: TableField[]): string =>
  `(hash(${byId(fields)
    .map(({ name, type }) => widest(quoteColumn(name), type))
    .join(', ')}) >> 33)::INTEGER`

/** The same digest before and after a decimal has got more digits. */
const widest = (column: string, type: FieldType): string => {
  const decimal = decimalOf(type)
  return decimal ? `${column}::DECIMAL(38, ${decimal.scale})` : column
}
