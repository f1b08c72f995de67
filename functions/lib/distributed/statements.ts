import { UserError } from '#lib/errors/errors.ts'
import { decimalOf } from '#lib/iceberg/metadata/types.ts'
import { quoteIdentifier } from '#lib/table-engine/duckdb/sql.ts'
import { type TableField, TIMESTAMP_ID } from '#lib/table-engine/files/snapshot.ts'
import { LOAD_ORDER } from '#lib/table-engine/load-order.ts'
import { type FieldType, isTyped } from '#lib/table-engine/types/field-type.ts'

/** A table in the Glue Data Catalog. */
interface GlueTable {
  database: string
  name: string
}

const quoteTable = ({ database, name }: GlueTable): string =>
  `${quoteIdentifier(database)}.${quoteIdentifier(name)}`

/** Amazon Athena User Guide, "Service Quotas": the text of a query. */
export const MAX_STATEMENT_BYTES = 262_144

/** The statement, when Athena takes it. Error: 400 `storage.tables.distributed.tooManyColumns`. */
const withinTextLimit = (statement: string): string => {
  const bytes = Buffer.byteLength(statement)
  if (bytes <= MAX_STATEMENT_BYTES) return statement
  throw new UserError(
    'storage.tables.distributed.tooManyColumns',
    `The load is too large for one function, and the table has too many columns with long names for Athena: its query ` +
      `would have ${bytes} bytes of ${MAX_STATEMENT_BYTES}. Load smaller files, or use shorter names.`,
  )
}

/** `TIMESTAMP '2026-11-21 22:41:09.123000 UTC'`, with microseconds as Iceberg stores them. */
export const timestampLiteral = (time: Date): string =>
  `TIMESTAMP '${time.toISOString().replace('T', ' ').replace('Z', '000')} UTC'`

/** A column of the staging table. It is named by its field id: short, and safe to write without quotes. */
export const stagedColumn = ({ id }: Pick<TableField, 'id'>): string => `c${id}`

interface MergeRequest {
  target: GlueTable
  staging: GlueTable
  /** The table's columns in their order. */
  fields: readonly TableField[]
  primaryKey: readonly string[]
  /** Ids of columns that some files lack. Athena reads those cells as NULL; in an untyped table they are empty. */
  gaps: ReadonlySet<number>
  /** Becomes `_timestamp` of the rows that change. */
  loadedAt: Date
}

/**
 * Merges staged rows into a table by its primary key, as one MERGE of Athena. The last record of a key wins. A row whose
 * values do not differ stays as it is, with its `_timestamp`. Values are compared by their type.
 *
 * Columns of the target are named twice at most, so that a table of 1,000 columns fits. Errors: 400
 * `storage.tables.distributed.tooManyColumns`.
 */
export const mergeStatement = ({
  target,
  staging,
  fields,
  primaryKey,
  gaps,
  loadedAt,
}: MergeRequest): string => {
  const isKey = ({ name }: TableField): boolean => primaryKey.includes(name)
  const keys = fields.filter(isKey)
  const values = fields.filter(field => !isKey(field))
  const loaded = timestampLiteral(loadedAt)
  const stored = (field: TableField): string => {
    const column = `t.${quoteIdentifier(field.name.toLowerCase())}`
    return gaps.has(field.id) && !isTyped(field) ? `coalesce(${column}, '')` : column
  }
  const given = (field: TableField): string => `s.${stagedColumn(field)}`
  const columns = fields.map(stagedColumn).join(', ')
  const order = LOAD_ORDER.map(({ name }) => `${quoteIdentifier(name)} DESC`).join(', ')
  const lines = [
    `MERGE INTO ${quoteTable(target)} t`,
    `USING (SELECT ${columns} FROM (SELECT ${columns}, row_number() OVER (PARTITION BY ${keys.map(stagedColumn).join(', ')} ORDER BY ${order}) AS place FROM ${quoteTable(staging)}) WHERE place = 1) s`,
    `ON (${keys.map(field => sameValue(field, stored(field), given(field))).join(' AND ')})`,
    ...(values.length === 0
      ? []
      : [
          `WHEN MATCHED AND (${values.map(field => `${stored(field)} IS DISTINCT FROM ${given(field)}`).join(' OR ')})`,
          `THEN UPDATE SET ${[
            ...values.map(field => `${quoteIdentifier(field.name.toLowerCase())} = ${given(field)}`),
            `${quoteIdentifier('_timestamp')} = ${loaded}`,
          ].join(', ')}`,
        ]),
    `WHEN NOT MATCHED THEN INSERT VALUES (${[...fields.map(given), loaded].join(', ')})`,
  ]
  return withinTextLimit(lines.join('\n'))
}

/** Ids of columns that some file of a table lacks, or may lack. */
export const columnsWithGaps = (
  fields: readonly TableField[],
  files: readonly { statistics?: Record<number, unknown> | undefined }[],
): Set<number> =>
  new Set(
    fields
      .filter(({ id }) => id !== TIMESTAMP_ID && files.some(file => file.statistics?.[id] === undefined))
      .map(({ id }) => id),
  )

/** Some value of each type, in Trino's words. */
const SOME_VALUE = {
  string: "''",
  long: 'CAST(0 AS bigint)',
  double: 'CAST(0 AS double)',
  boolean: 'false',
  date: "DATE '1970-01-01'",
  timestamp: "TIMESTAMP '1970-01-01 00:00:00.000000'",
  timestamptz: timestampLiteral(new Date(0)),
} as const

const someValue = (type: FieldType): string => {
  const decimal = decimalOf(type)
  if (decimal) return `CAST(0 AS decimal(${decimal.precision}, ${decimal.scale}))`
  return SOME_VALUE[type as keyof typeof SOME_VALUE]
}

/**
 * Whether two values of a column of the primary key are the same; NULL equals NULL.
 *
 * Written as equalities, also where values may be NULL: Trino joins large tables by equalities only. `IS NOT DISTINCT
 * FROM` would compare each row with each.
 */
const sameValue = ({ type, rules }: TableField, one: string, other: string): string => {
  if (!rules?.nullable) return `${one} = ${other}`
  const some = someValue(type)
  return `coalesce(${one}, ${some}) = coalesce(${other}, ${some}) AND (${one} IS NULL) = (${other} IS NULL)`
}

/**
 * Packs small files of a table into large ones, and drops what is deleted in them. Athena only knows this statement, which
 * stands for Trino's `ALTER TABLE … EXECUTE optimize` (Amazon Athena User Guide, "OPTIMIZE"). Its names are written without
 * quotes: ours are lower-case letters, digits and underscores.
 */
export const optimizeStatement = ({ database, name }: GlueTable): string =>
  `OPTIMIZE ${database}.${name} REWRITE DATA USING BIN_PACK`
