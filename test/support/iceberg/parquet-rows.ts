import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  type SchemaElement,
} from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import type { DataFile } from '#lib/iceberg/manifests/data-file.ts'
import { isPrimitive, type NestedField } from '#lib/iceberg/metadata/types.ts'
import type { ObjectReader } from '#lib/iceberg/object-reader.ts'
import { IcebergRefusal } from '#lib/iceberg/refusal.ts'
import type { Cell } from '#lib/iceberg/values/bounds.ts'
import { cellFromParquet, type TimeUnit } from './parquet-cell.ts'

/** Cells by field id. A column that the file lacks is absent. */
export type Row = Map<number, Cell>

const asyncBuffer = (read: ObjectReader, { path, bytes }: DataFile): AsyncBuffer => ({
  byteLength: bytes,
  slice: async (start, end = bytes) => {
    const content = await read(path, { offset: start, length: end - start })
    if (content.length !== end - start)
      throw new IcebergRefusal(`The file ${path} ends before its ${bytes} bytes.`)
    return new Uint8Array(content).buffer
  },
})

const unitOf = ({ logical_type: logical, converted_type: converted }: SchemaElement): TimeUnit => {
  if (logical?.type === 'TIMESTAMP' || logical?.type === 'TIME') return logical.unit
  return converted?.endsWith('_MILLIS') ? 'MILLIS' : 'MICROS'
}

/** Without the names of types the library hands out values as they are stored, so that decimals and times stay exact. */
const withoutTypeNames = (metadata: FileMetaData): FileMetaData => ({
  ...metadata,
  schema: metadata.schema.map(({ converted_type: _c, logical_type: _l, ...element }) => element),
})

/** The columns at the top of a Parquet schema, which lists them with their inner fields in one sequence. */
const topColumns = (schema: readonly SchemaElement[]): SchemaElement[] => {
  const columns: SchemaElement[] = []
  let inner = 0
  for (const element of schema.slice(1)) {
    if (inner === 0) columns.push(element)
    else inner--
    inner += element.num_children ?? 0
  }
  return columns
}

const hasFieldIds = (columns: readonly SchemaElement[]): boolean =>
  columns.some(column => column.field_id !== undefined)

/** A column's id: its own, or by name in a file that has no ids (specification, "Column Projection"). */
const idsOf = (columns: readonly SchemaElement[], nameMapping: ReadonlyMap<string, number>) => {
  const isNumbered = hasFieldIds(columns)
  return new Map(
    columns.flatMap((column): [number, SchemaElement][] => {
      const id = isNumbered ? column.field_id : nameMapping.get(column.name)
      return id === undefined ? [] : [[id, column]]
    }),
  )
}

/**
 * The rows of a Parquet file in their order, deletes not applied. Only the columns that are asked for are fetched.
 * A column of a nested type is refused by name.
 */
export const readParquetRows = async (
  read: ObjectReader,
  file: DataFile,
  fields: readonly NestedField[],
  nameMapping: ReadonlyMap<string, number>,
): Promise<Row[]> => {
  if (file.format !== 'parquet')
    throw new IcebergRefusal(`The file ${file.path} is ${file.format}, not Parquet.`)
  const source = asyncBuffer(read, file)
  const metadata = await parquetMetadataAsync(source)
  const columns = idsOf(topColumns(metadata.schema), nameMapping)
  const wanted = fields.flatMap(({ id, name, type }) => {
    const column = columns.get(id)
    if (!column) return []
    if (!isPrimitive(type))
      throw new IcebergRefusal(`The column "${name}" is a ${type.type}; values are read only.`)
    return [{ id, type, name: column.name, unit: unitOf(column) }]
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
