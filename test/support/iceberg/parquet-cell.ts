import { decimalOf, type FieldType } from '#lib/iceberg/metadata/types.ts'
import { formatDate, formatTimestamp } from '#lib/iceberg/values/date-text.ts'
import { formatDecimal, unscaledFrom } from '#lib/iceberg/values/decimal-text.ts'

/**
 * One value of a table: whole numbers as `bigint`; decimals as text with all digits of their scale; dates and times as ISO 8601
 * text, timestamps with microseconds and, when they have a zone, in UTC with `Z`.
 */
export type Cell = string | number | bigint | boolean | null

/** How a Parquet column counts its times. */
export type TimeUnit = 'MILLIS' | 'MICROS' | 'NANOS'

const perMicrosecond = { MILLIS: 1000n, MICROS: 1n }

const micros = (value: unknown, unit: TimeUnit): bigint => {
  if (unit === 'NANOS') return BigInt(String(value)) / 1000n
  return BigInt(String(value)) * perMicrosecond[unit]
}

/** The cell of a value as Parquet stores it: numbers, `bigint`, booleans or bytes, whatever its type is called there. */
export const cellFromParquet = (type: FieldType, value: unknown, unit: TimeUnit): Cell => {
  if (value === null || value === undefined) return null
  const decimal = decimalOf(type)
  if (value instanceof Uint8Array) {
    if (decimal) return formatDecimal(unscaledFrom(value), decimal.scale)
    return Buffer.from(value).toString('utf8')
  }
  if (typeof value === 'boolean') return value
  if (typeof value !== 'number' && typeof value !== 'bigint')
    throw new Error(`A value of type ${type} is stored in a form that we do not read.`)
  if (decimal) return formatDecimal(BigInt(value), decimal.scale)
  switch (type) {
    case 'long':
      return BigInt(value)
    case 'date':
      return formatDate(Number(value))
    case 'timestamp':
      return formatTimestamp(micros(value, unit))
    case 'timestamptz':
      return `${formatTimestamp(micros(value, unit))}Z`
    default:
      return Number(value)
  }
}
