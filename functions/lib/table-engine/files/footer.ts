import { type ColumnMetaData, type ParquetParsers, parquetMetadata, type SchemaElement } from 'hyparquet'
import { deserializeTCompactProtocol } from 'hyparquet/src/thrift.js'
import { formatDate, formatTimestamp } from '../../iceberg/values/date-text.ts'
import { formatDecimal, unscaledFrom } from '../../iceberg/values/decimal-text.ts'

/** Bytes from `start` up to, but without, `end`. */
export interface ByteRange {
  start: number
  end: number
}

export interface ParquetColumn {
  name: string
  /** Iceberg field id. */
  id: number | undefined
  /** How values are stored: files whose columns differ in it are not read by one scan. */
  form: string
}

/** The values of one column in one row group. */
export interface ColumnChunk {
  /** Its pages, and its Bloom filter if it has one. */
  ranges: ByteRange[]
  bytes: number
  values: number
  /** Undefined: unknown. */
  nulls: number | undefined
  /** Bounds in the form of `FieldStatistics`. */
  lower: string | undefined
  upper: string | undefined
}

interface RowGroup {
  /** In the order of the columns. */
  chunks: ColumnChunk[]
}

/** What the end of a Parquet file says about its content. Only for files of flat columns, as all of ours are. */
export interface ParquetFooter {
  columns: ParquetColumn[]
  rowGroups: RowGroup[]
}

/** The last bytes of each file: the length of the footer, and `PAR1`. */
const FOOTER_END_BYTES = 8

/** The size of a file's footer with its end, from its last bytes. */
export const footerBytes = (tail: Uint8Array): number =>
  new DataView(tail.buffer, tail.byteOffset, tail.byteLength).getUint32(
    tail.byteLength - FOOTER_END_BYTES,
    true,
  ) + FOOTER_END_BYTES

/** `tail`: the end of a file, with the whole footer. */
export const parseFooter = (tail: Uint8Array): ParquetFooter => {
  const { schema, row_groups } = parquetMetadata(tail, { parsers: PARSERS, geoparquet: false })
  // The first element is the root.
  const elements = schema.slice(1)
  const decimalBounds = elements.some(isDecimal) ? readDecimalBounds(tail, elements) : undefined
  const rowGroups = row_groups.map(
    ({ columns }, index): RowGroup => ({
      chunks: columns.map(({ meta_data }, place) => ({
        ...readChunk(meta_data, elements[place]),
        ...decimalBounds?.[index]?.[place],
      })),
    }),
  )
  return { columns: elements.map(readColumn), rowGroups }
}

const text = new TextDecoder('utf8', { ignoreBOM: true })

/** The library drops a byte order mark of a text, and the microseconds of a time. */
const PARSERS: Partial<ParquetParsers> = {
  stringFromBytes: bytes => text.decode(bytes),
  // Always six digits: such texts have the order of their times.
  timestampFromMicroseconds: formatTimestamp,
  dateFromDays: formatDate,
}

const isZoned = ({ logical_type }: SchemaElement): boolean =>
  logical_type?.type === 'TIMESTAMP' && logical_type.isAdjustedToUTC

const readColumn = (element: SchemaElement): ParquetColumn => ({
  name: element.name,
  id: element.field_id,
  form: [element.type, element.converted_type, element.precision, element.scale].join(' '),
})

const readChunk = (chunk: ColumnMetaData | undefined, element: SchemaElement | undefined): ColumnChunk => {
  if (!chunk) throw new Error('A Parquet file keeps its columns in other files.')
  const { statistics } = chunk
  const first = Number(chunk.dictionary_page_offset || chunk.data_page_offset)
  const bytes = Number(chunk.total_compressed_size)
  const { bloom_filter_offset: bloom, bloom_filter_length: bloomBytes = 0 } = chunk
  return {
    ranges: [
      { start: first, end: first + bytes },
      ...(bloom === undefined ? [] : [{ start: Number(bloom), end: Number(bloom) + bloomBytes }]),
    ],
    bytes,
    values: Number(chunk.num_values),
    nulls: statistics?.null_count === undefined ? undefined : Number(statistics.null_count),
    lower: textOf(statistics?.min_value, element),
    upper: textOf(statistics?.max_value, element),
  }
}

const textOf = (value: unknown, element: SchemaElement | undefined): string | undefined => {
  if (typeof value === 'string') return element && isTime(element) ? timeText(value, element) : value
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined
  return typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : undefined
}

const isTime = ({ type, converted_type, logical_type }: SchemaElement): boolean =>
  type === 'INT64' && (logical_type?.type === 'TIMESTAMP' || converted_type === 'TIMESTAMP_MICROS')

const timeText = (time: string, element: SchemaElement): string => (isZoned(element) ? `${time}Z` : time)

const isDecimal = ({ converted_type, logical_type }: SchemaElement): boolean =>
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
const readDecimalBounds = (tail: Uint8Array, elements: SchemaElement[]): (Bounds | undefined)[][] => {
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
