import type { FieldType } from '../../iceberg/metadata/types.ts'
import { truncateLower, truncateUpper } from '../../iceberg/values/bounds.ts'
import type { ColumnChunk, ParquetFooter } from '../files/footer.ts'
import { type FieldStatistics, sum, type TableField, TIMESTAMP_ID } from '../files/snapshot.ts'
import { compareValues } from '../types/compare-values.ts'

/**
 * What the footer of a file that we have written says about its columns and `_timestamp`, for the table's list of files.
 * By field id.
 */
export const fileStatistics = (
  { columns, rowGroups }: ParquetFooter,
  fields: readonly Pick<TableField, 'id' | 'type'>[],
): Record<number, FieldStatistics> => {
  const types = new Map<number | undefined, FieldType>(fields.map(({ id, type }) => [id, type]))
  types.set(TIMESTAMP_ID, 'timestamptz')
  return Object.fromEntries(
    columns.flatMap(({ id }, index) => {
      const type = types.get(id)
      if (id === undefined || type === undefined) return []
      const chunks = rowGroups.flatMap(group => group.chunks[index] ?? [])
      return [[id, summarize(type, chunks)]]
    }),
  )
}

const summarize = (type: FieldType, chunks: ColumnChunk[]): FieldStatistics => {
  // A row group of nothing but NULL has no bounds, and needs none.
  const filled = chunks.filter(({ values, nulls }) => nulls !== values)
  const least = (one: string, other: string): string => (compareValues(type, one, other) <= 0 ? one : other)
  const greatest = (one: string, other: string): string =>
    compareValues(type, one, other) >= 0 ? one : other
  const lower = boundOf(
    filled.map(chunk => chunk.lower),
    least,
  )
  const upper = boundOf(
    filled.map(chunk => chunk.upper),
    greatest,
  )
  const isText = type === 'string'
  const shortUpper = upper === undefined || !isText ? upper : truncateUpper(upper)
  return {
    bytes: sum(chunks.map(({ bytes }) => bytes)),
    values: sum(chunks.map(({ values }) => values)),
    nulls: sum(chunks.map(({ nulls = 0 }) => nulls)),
    // DuckDB writes no bounds of a row group that holds a NaN.
    ...(type === 'double' && upper !== undefined && { nans: 0 }),
    ...(lower !== undefined && { lower: isText ? truncateLower(lower) : lower }),
    ...(shortUpper !== undefined && { upper: shortUpper }),
  }
}

/** Undefined when one of the bounds is, or when there are none. */
const boundOf = (
  bounds: (string | undefined)[],
  choose: (one: string, other: string) => string,
): string | undefined =>
  bounds.length === 0
    ? undefined
    : bounds.reduce((one, other) =>
        one === undefined || other === undefined ? undefined : choose(one, other),
      )
