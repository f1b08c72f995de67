import type { DataFile } from '#lib/iceberg/manifests/data-file.ts'
import { formatLongJson } from '#lib/iceberg/metadata/long-json.ts'
import { currentSchema, schemaById } from '#lib/iceberg/metadata/parse-metadata.ts'
import type { TableMetadata } from '#lib/iceberg/metadata/table-metadata.ts'
import { isPrimitive, type NestedField, type TableSchema } from '#lib/iceberg/metadata/types.ts'
import type { ObjectReader } from '#lib/iceberg/object-reader.ts'
import { FILE_PATH_FIELD, type LiveFile, readLiveFiles } from '#lib/iceberg/read/live-files.ts'
import { findSnapshot } from '#lib/iceberg/read/read-manifests.ts'
import { IcebergRefusal } from '#lib/iceberg/refusal.ts'
import type { Cell } from '#lib/iceberg/values/bounds.ts'
import { readNameMapping } from './name-mapping.ts'
import { cellFromParquet } from './parquet-cell.ts'
import { type Row, readParquetRows } from './parquet-rows.ts'

const POSITION_FIELD = 2147483545

const deleteFields: NestedField[] = [
  { id: FILE_PATH_FIELD, name: 'file_path', required: true, type: 'string' },
  { id: POSITION_FIELD, name: 'pos', required: true, type: 'long' },
]

const noNames: ReadonlyMap<string, number> = new Map()

const readPositions = async (read: ObjectReader, live: LiveFile): Promise<Set<bigint>> => {
  const positions = new Set<bigint>()
  for (const deletes of live.positionDeletes)
    for (const row of await readParquetRows(read, deletes, deleteFields, noNames)) {
      const position = row.get(POSITION_FIELD)
      if (row.get(FILE_PATH_FIELD) === live.file.path && typeof position === 'bigint') positions.add(position)
    }
  return positions
}

const cellsKey = (row: Row, ids: readonly number[]): string =>
  formatLongJson(ids.map(id => [typeof row.get(id), row.get(id) ?? null]))

interface Table {
  read: ObjectReader
  metadata: TableMetadata
  /** Every column that the table ever had: equality deletes may name one that is gone. */
  knownFields: ReadonlyMap<number, NestedField>
  nameMapping: ReadonlyMap<string, number>
}

type IsDeleted = (row: Row) => boolean

const readEqualityDeletes = async (
  { read, knownFields, nameMapping }: Table,
  deletes: DataFile,
): Promise<IsDeleted> => {
  const ids = deletes.equalityIds ?? []
  const fields = ids.map(id => {
    const field = knownFields.get(id)
    if (!field)
      throw new IcebergRefusal(`The deletes ${deletes.path} name the column ${id}, which never was.`)
    return field
  })
  const rows = await readParquetRows(read, deletes, fields, nameMapping)
  const keys = new Set(rows.map(row => cellsKey(row, ids)))
  return row => keys.has(cellsKey(row, ids))
}

/** Values that stand in the manifest and not in the file: those of identity partitions (specification, "Column Projection"). */
const partitionCells = ({ metadata, knownFields }: Table, file: DataFile): Row => {
  const spec = metadata['partition-specs'].find(candidate => candidate['spec-id'] === file.specId)
  const cells: Row = new Map()
  for (const field of spec?.fields ?? []) {
    const type = knownFields.get(field['source-id'])?.type
    const value = file.partition.get(field['field-id'])
    if (field.transform === 'identity' && type && isPrimitive(type) && value !== undefined)
      cells.set(
        field['source-id'],
        typeof value === 'string' ? value : cellFromParquet(type, value, 'MICROS'),
      )
  }
  return cells
}

/** The rows of one file that its deletes leave, with the columns of `schema`. */
const readFileRows = async (table: Table, schema: TableSchema, live: LiveFile): Promise<Row[]> => {
  const { read, nameMapping, knownFields } = table
  const deletions = await Promise.all(
    live.equalityDeletes.map(deletes => readEqualityDeletes(table, deletes)),
  )
  const compared = new Set(live.equalityDeletes.flatMap(deletes => deletes.equalityIds ?? []))
  const gone = [...compared].flatMap(id =>
    schema.fields.some(field => field.id === id) ? [] : (knownFields.get(id) ?? []),
  )
  const positions = await readPositions(read, live)
  const fromPartition = partitionCells(table, live.file)
  const rows = await readParquetRows(read, live.file, [...schema.fields, ...gone], nameMapping)
  return rows
    .map((row): Row => new Map([...fromPartition, ...row]))
    .filter((row, index) => !positions.has(BigInt(index)) && !deletions.some(isDeleted => isDeleted(row)))
}

interface TableRows {
  columns: string[]
  /** In the order of the files in the manifests, and of the rows in each file. */
  rows: Cell[][]
}

/**
 * All rows of a snapshot, by default the current one with the current columns; an older one has its own columns.
 * The whole table goes into memory: this is for tests and for checks of small tables.
 */
export const readRows = async (
  read: ObjectReader,
  metadata: TableMetadata,
  snapshotId?: bigint,
): Promise<TableRows> => {
  const isCurrent = snapshotId === undefined || snapshotId === metadata['current-snapshot-id']
  const schemaId = isCurrent ? undefined : findSnapshot(metadata, snapshotId)?.['schema-id']
  const schema = schemaId === undefined ? currentSchema(metadata) : schemaById(metadata, schemaId)
  const table: Table = {
    read,
    metadata,
    knownFields: new Map(
      [...metadata.schemas, schema].flatMap(({ fields }) => fields.map(field => [field.id, field])),
    ),
    nameMapping: readNameMapping(metadata.properties),
  }
  const rows: Cell[][] = []
  for (const live of await readLiveFiles(read, metadata, snapshotId))
    for (const row of await readFileRows(table, schema, live))
      rows.push(schema.fields.map(field => row.get(field.id) ?? null))
  return { columns: schema.fields.map(field => field.name), rows }
}
