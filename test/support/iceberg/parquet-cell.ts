import { decimalOf, type PrimitiveType } from '#lib/iceberg/metadata/types.ts'
import { IcebergRefusal } from '#lib/iceberg/refusal.ts'
import type { Cell } from '#lib/iceberg/values/bounds.ts'
import { formatDate, formatTime, formatTimestamp } from '#lib/iceberg/values/date-text.ts'
import { formatDecimal, unscaledFrom } from '#lib/iceberg/values/decimal-text.ts'

/** How a Parquet column counts its times. */
export type TimeUnit = 'MILLIS' | 'MICROS' | 'NANOS'

const perMicrosecond = { MILLIS: 1000n, MICROS: 1n }

const micros = (value: unknown, unit: TimeUnit): bigint => {
  if (unit === 'NANOS') return BigInt(String(value)) / 1000n
  return BigInt(String(value)) * perMicrosecond[unit]
}

/** The cell of a value as Parquet stores it: numbers, `bigint`, booleans or bytes, whatever its type is called there. */
export const cellFromParquet = (type: PrimitiveType, value: unknown, unit: TimeUnit): Cell => {
  if (value === null || value === undefined) return null
  const decimal = decimalOf(type)
  if (value instanceof Uint8Array) {
    if (decimal) return formatDecimal(unscaledFrom(value), decimal.scale)
    if (type === 'string') return Buffer.from(value).toString('utf8')
    const hex = Buffer.from(value).toString('hex')
    return type === 'uuid' ? hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') : hex
  }
  if (typeof value === 'boolean') return value
  if (typeof value !== 'number' && typeof value !== 'bigint')
    throw new IcebergRefusal(`A value of type ${type} is stored in a form that we do not read.`)
  if (decimal) return formatDecimal(BigInt(value), decimal.scale)
  switch (type) {
    case 'long':
      return BigInt(value)
    case 'date':
      return formatDate(Number(value))
    case 'time':
      return formatTime(micros(value, unit))
    case 'timestamp':
      return formatTimestamp(micros(value, unit))
    case 'timestamptz':
      return `${formatTimestamp(micros(value, unit))}Z`
    default:
      return Number(value)
  }
}
