import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  type SchemaElement,
} from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import type { DataFile } from '#lib/iceberg/manifests/data-file.ts'
import type { NestedField } from '#lib/iceberg/metadata/types.ts'
import type { ObjectReader } from '#lib/iceberg/object-reader.ts'
import { type Cell, cellFromParquet, type TimeUnit } from './parquet-cell.ts'

/** Cells by field id. A column that the file lacks is absent. */
export type Row = Map<number, Cell>

const asyncBuffer = async (read: ObjectReader, { path, bytes }: DataFile): Promise<AsyncBuffer> => {
  const content = await read(path)
  if (content.length !== bytes) throw new Error(`The file ${path} ends before its ${bytes} bytes.`)
  return {
    byteLength: bytes,
    slice: (start, end = bytes) => new Uint8Array(content.subarray(start, end)).buffer,
  }
}

const unitOf = ({ logical_type: logical, converted_type: converted }: SchemaElement): TimeUnit => {
  if (logical?.type === 'TIMESTAMP' || logical?.type === 'TIME') return logical.unit
  return converted?.endsWith('_MILLIS') ? 'MILLIS' : 'MICROS'
}

/** Without the names of types the library hands out values as they are stored, so that decimals and times stay exact. */
const withoutTypeNames = (metadata: FileMetaData): FileMetaData => ({
  ...metadata,
  schema: metadata.schema.map(({ converted_type: _c, logical_type: _l, ...element }) => element),
})

/** The rows of a Parquet file in their order, deletes not applied. */
export const readParquetRows = async (
  read: ObjectReader,
  file: DataFile,
  fields: readonly NestedField[],
): Promise<Row[]> => {
  const source = await asyncBuffer(read, file)
  const metadata = await parquetMetadataAsync(source)
  const columns = new Map(metadata.schema.slice(1).map(column => [column.field_id, column]))
  const wanted = fields.flatMap(({ id, type }) => {
    const column = columns.get(id)
    return column ? [{ id, type, name: column.name, unit: unitOf(column) }] : []
  })
  if (wanted.length === 0) return Array.from({ length: Number(metadata.num_rows) }, () => new Map())
  const rows = await parquetReadObjects({
    file: source,
    metadata: withoutTypeNames(metadata),
    columns: wanted.map(({ name }) => name),
    compressors,
    utf8: false,
  })
  return rows.map(
    row => new Map(wanted.map(({ id, type, name, unit }) => [id, cellFromParquet(type, row[name], unit)])),
  )
}
