import { decimalOf, type PrimitiveType } from '../metadata/types.ts'
import { IcebergRefusal } from '../refusal.ts'
import { formatDate, formatTime, formatTimestamp, parseDate, parseTime, parseTimestamp } from './date-text.ts'
import { formatDecimal, parseDecimal, unscaledBytes, unscaledFrom } from './decimal-text.ts'

const fixedSize = (length: number, write: (bytes: Buffer) => void): Buffer => {
  const bytes = Buffer.alloc(length)
  write(bytes)
  return bytes
}
const int = (value: number): Buffer => fixedSize(4, bytes => bytes.writeInt32LE(value))
const long = (value: bigint): Buffer => fixedSize(8, bytes => bytes.writeBigInt64LE(value))

/**
 * A value as the bounds of a manifest hold it (specification, "Appendix D: Single-value serialization", binary form).
 * The value has the form of a cell of that type.
 */
export const serializeValue = (type: PrimitiveType, value: Exclude<Cell, null>): Buffer => {
  const decimal = decimalOf(type)
  if (decimal) return unscaledBytes(parseDecimal(String(value), decimal.scale))
  switch (type) {
    case 'boolean':
      return Buffer.of(value ? 1 : 0)
    case 'int':
      return int(Number(value))
    case 'long':
      return long(BigInt(value))
    case 'float':
      return fixedSize(4, bytes => bytes.writeFloatLE(Number(value)))
    case 'double':
      return fixedSize(8, bytes => bytes.writeDoubleLE(Number(value)))
    case 'date':
      return int(parseDate(String(value)))
    case 'time':
      return long(parseTime(String(value)))
    case 'timestamp':
    case 'timestamptz':
      return long(parseTimestamp(String(value)))
    case 'string':
      return Buffer.from(String(value), 'utf8')
    case 'uuid':
      return Buffer.from(String(value).replaceAll('-', ''), 'hex')
    default:
      return Buffer.from(String(value), 'hex')
  }
}

/** The counterpart of `serializeValue`. Bounds written before a type was widened are shorter, and are read too. */
export const parseValue = (type: PrimitiveType, value: Uint8Array): Exclude<Cell, null> => {
  const bytes = Buffer.from(value)
  const decimal = decimalOf(type)
  if (decimal) return formatDecimal(unscaledFrom(bytes), decimal.scale)
  const needed = shortest[type] ?? 0
  if (bytes.length < needed)
    throw new IcebergRefusal(`A bound of the type ${type} has ${bytes.length} bytes instead of ${needed}.`)
  switch (type) {
    case 'boolean':
      return bytes[0] !== 0
    case 'int':
      return bytes.readInt32LE()
    case 'long':
      return bytes.length < 8 ? BigInt(bytes.readInt32LE()) : bytes.readBigInt64LE()
    case 'float':
      return bytes.readFloatLE()
    case 'double':
      return bytes.length < 8 ? bytes.readFloatLE() : bytes.readDoubleLE()
    case 'date':
      return formatDate(bytes.readInt32LE())
    case 'time':
      return formatTime(bytes.readBigInt64LE())
    case 'timestamp':
      return formatTimestamp(bytes.readBigInt64LE())
    case 'timestamptz':
      return `${formatTimestamp(bytes.readBigInt64LE())}Z`
    case 'string':
      return bytes.toString('utf8')
    case 'uuid':
      return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    default:
      return bytes.toString('hex')
  }
}

/** The fewest bytes of a bound, by type. */
const shortest: Partial<Record<PrimitiveType, number>> = {
  boolean: 1,
  int: 4,
  long: 4,
  float: 4,
  double: 4,
  date: 4,
  time: 8,
  timestamp: 8,
  timestamptz: 8,
  uuid: 16,
}

/** Iceberg's default of `write.metadata.metrics.default`: `truncate(16)`, in code points. */
const BOUND_LENGTH = 16

const LAST_CODE_POINT = 0x10ffff
const BEFORE_SURROGATES = 0xd7ff
const AFTER_SURROGATES = 0xe000

/** A code point takes at most two units, so that a long text is not taken apart. */
const firstPoints = (text: string): string[] => [...text.slice(0, 2 * BOUND_LENGTH)].slice(0, BOUND_LENGTH)

/** The first 16 code points: not greater than the text. */
export const truncateLower = (text: string): string => firstPoints(text).join('')

/**
 * At most 16 code points, not less than the text: a text that is cut has its last code point raised by one. When none
 * can be raised there is no such bound: `undefined`.
 */
export const truncateUpper = (text: string): string | undefined => {
  const kept = firstPoints(text)
  if (kept.join('').length === text.length) return text
  for (;;) {
    const last = kept.pop()?.codePointAt(0)
    if (last === undefined) return undefined
    if (last === LAST_CODE_POINT) continue
    // Half characters (surrogates) are no code points of a text.
    return kept.join('') + String.fromCodePoint(last === BEFORE_SURROGATES ? AFTER_SURROGATES : last + 1)
  }
}

/**
 * One value of a table, as tests and adoption compare them: whole numbers of 64 bits as `bigint`; decimals as text with
 * all digits of their scale; dates and times as ISO 8601 text, timestamps with microseconds and, when they have a zone,
 * in UTC with `Z`; binary values as hex.
 */
export type Cell = string | number | bigint | boolean | null
