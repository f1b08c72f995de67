import { decimalOf, type FieldType } from '../../iceberg/metadata/types.ts'
import { parseDecimal } from '../../iceberg/values/decimal-text.ts'

/** By Unicode code points, as UTF-8 bytes and DuckDB order texts. JavaScript's own order differs beyond U+FFFF. */
export const compareText = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other))

const compare = <Value extends bigint | number>(one: Value, other: Value): number =>
  one < other ? -1 : Number(one > other)

/** The order of two values in the form of {@link ReadCell}. The texts of dates, times and booleans have it themselves. */
export const compareValues = (type: FieldType, one: string, other: string): number => {
  if (type === 'double') return compare(Number(one), Number(other))
  const scale = type === 'long' ? 0 : decimalOf(type)?.scale
  if (scale === undefined) return compareText(one, other)
  return compare(parseDecimal(one, scale), parseDecimal(other, scale))
}
