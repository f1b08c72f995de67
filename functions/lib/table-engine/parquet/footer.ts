import { type ColumnMetaData, type ParquetParsers, parquetMetadata, type SchemaElement } from 'hyparquet'

/** Bytes from `start` up to, but without, `end`. */
export interface ByteRange {
  start: number
  end: number
}

export interface ParquetColumn {
  name: string
  /** Iceberg field id. */
  id: number | undefined
  /** A time that says that it is UTC. Version 0.1 wrote times without a zone, which are UTC too. */
  isZonedTime: boolean
}

/** The values of one column in one row group. */
export interface ColumnChunk {
  /** Its pages, and its Bloom filter if it has one. */
  ranges: ByteRange[]
  bytes: number
  values: number
  /** Undefined: unknown. */
  nulls: number | undefined
  /** Bounds of a text or a time (ISO 8601). */
  lower: string | undefined
  upper: string | undefined
}

interface RowGroup {
  /** Position of its first row in the file. */
  firstRow: number
  rows: number
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
  let firstRow = 0
  const rowGroups = row_groups.map(({ num_rows, columns }): RowGroup => {
    const rows = Number(num_rows)
    const group = { firstRow, rows, chunks: columns.map(({ meta_data }) => readChunk(meta_data)) }
    firstRow += rows
    return group
  })
  // The first element is the root.
  return { columns: schema.slice(1).map(readColumn), rowGroups }
}

const text = new TextDecoder('utf8', { ignoreBOM: true })

/** The library drops a byte order mark of a text, and the microseconds of a time. */
const PARSERS: Partial<ParquetParsers> = {
  stringFromBytes: bytes => text.decode(bytes),
  timestampFromMicroseconds: isoTime,
}

function isoTime(micros: bigint): string {
  const millis = micros >= 0n ? micros / 1000n : (micros - 999n) / 1000n
  const rest = String(micros - millis * 1000n).padStart(3, '0')
  // Always six digits: such texts have the order of their times.
  return new Date(Number(millis)).toISOString().replace('Z', `${rest}Z`)
}

const readColumn = ({ name, field_id, logical_type }: SchemaElement): ParquetColumn => ({
  name,
  id: field_id,
  isZonedTime: logical_type?.type === 'TIMESTAMP' && logical_type.isAdjustedToUTC,
})

const readChunk = (chunk: ColumnMetaData | undefined): ColumnChunk => {
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
    lower: textOf(statistics?.min_value),
    upper: textOf(statistics?.max_value),
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
