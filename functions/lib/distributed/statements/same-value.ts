import { decimalOf } from '#lib/iceberg/metadata/types.ts'
import type { TableField } from '#lib/table-engine/snapshot.ts'
import type { FieldType } from '#lib/table-engine/types/field-type.ts'
import { timestampLiteral } from './timestamp-literal.ts'

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
export const sameValue = ({ type, rules }: TableField, one: string, other: string): string => {
  if (!rules?.nullable) return `${one} = ${other}`
  const some = someValue(type)
  return `coalesce(${one}, ${some}) = coalesce(${other}, ${some}) AND (${one} IS NULL) = (${other} IS NULL)`
}
