import type { SchemaElement } from 'hyparquet'
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js'
import { formatDecimal, unscaledFrom } from '../../iceberg/values/decimal-text.ts'

export const isDecimal = ({ converted_type, logical_type }: SchemaElement): boolean =>
  converted_type === 'DECIMAL' || logical_type?.type === 'DECIMAL'

interface Bounds {
  lower: string | undefined
  upper: string | undefined
}

interface ThriftStatistics {
  field_5?: Uint8Array
  field_6?: Uint8Array
}

/** The parts of a footer's Thrift structures that hold bounds (Parquet format, `parquet.thrift`). */
interface ThriftFooter {
  field_4: { field_1: { field_3?: { field_12?: ThriftStatistics } }[] }[]
}

/** The length of the footer, and `PAR1`. */
const END_BYTES = 8

/**
 * The bounds of decimals by row group and column, with all their digits: the library gives them as floating-point
 * numbers. Undefined for columns of other types.
 */
export const readDecimalBounds = (tail: Uint8Array, elements: SchemaElement[]): (Bounds | undefined)[][] => {
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength)
  const offset = tail.byteLength - END_BYTES - view.getUint32(tail.byteLength - END_BYTES, true)
  // Its types do not say what it reads.
  const footer = deserializeTCompactProtocol({ view, offset }) as unknown as ThriftFooter
  return footer.field_4.map(({ field_1: chunks }) =>
    chunks.map(({ field_3: chunk }, place) => {
      const element = elements[place]
      if (!element || !isDecimal(element)) return undefined
      const { field_6: lower, field_5: upper } = chunk?.field_12 ?? {}
      return { lower: formatBound(lower, element), upper: formatBound(upper, element) }
    }),
  )
}

/** Integers are little-endian, bytes of a fixed or any length big-endian. */
const formatBound = (
  bytes: Uint8Array | undefined,
  { type, scale = 0 }: SchemaElement,
): string | undefined => {
  if (bytes === undefined) return undefined
  const isInteger = type === 'INT32' || type === 'INT64'
  return formatDecimal(unscaledFrom(isInteger ? bytes.toReversed() : bytes), scale)
}
