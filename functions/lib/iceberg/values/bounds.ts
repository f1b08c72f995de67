import { decimalOf, type FieldType } from '../metadata/types.ts'
import { formatDate, formatTimestamp, parseDate, parseTimestamp } from './date-text.ts'
import { formatDecimal, parseDecimal, unscaledBytes, unscaledFrom } from './decimal-text.ts'

const fixedSize = (length: number, write: (bytes: Buffer) => void): Buffer => {
  const bytes = Buffer.alloc(length)
  write(bytes)
  return bytes
}
const long = (value: bigint): Buffer => fixedSize(8, bytes => bytes.writeBigInt64LE(value))

/**
 * A value as the bounds of a manifest hold it (specification, "Appendix D: Single-value serialization", binary form).
 * The value has the form of `ReadCell`.
 */
export const serializeValue = (type: FieldType, value: string): Buffer => {
  const decimal = decimalOf(type)
  if (decimal) return unscaledBytes(parseDecimal(value, decimal.scale))
  switch (type) {
    case 'boolean':
      return Buffer.of(value === 'true' ? 1 : 0)
    case 'long':
      return long(BigInt(value))
    case 'double':
      return fixedSize(8, bytes => bytes.writeDoubleLE(Number(value)))
    case 'date':
      return fixedSize(4, bytes => bytes.writeInt32LE(parseDate(value)))
    case 'timestamp':
    case 'timestamptz':
      return long(parseTimestamp(value))
    default:
      return Buffer.from(value, 'utf8')
  }
}

/** The counterpart of `serializeValue`. */
export const parseValue = (type: FieldType, value: Uint8Array): string => {
  const bytes = Buffer.from(value)
  const decimal = decimalOf(type)
  if (decimal) return formatDecimal(unscaledFrom(bytes), decimal.scale)
  switch (type) {
    case 'boolean':
      return String(bytes[0] !== 0)
    case 'long':
      return String(bytes.readBigInt64LE())
    case 'double':
      return String(bytes.readDoubleLE())
    case 'date':
      return formatDate(bytes.readInt32LE())
    case 'timestamp':
      return formatTimestamp(bytes.readBigInt64LE())
    case 'timestamptz':
      return `${formatTimestamp(bytes.readBigInt64LE())}Z`
    default:
      return bytes.toString('utf8')
  }
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
