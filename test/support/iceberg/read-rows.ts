import { currentSchema, schemaById } from '#lib/iceberg/metadata/parse-metadata.ts'
import type { TableMetadata } from '#lib/iceberg/metadata/table-metadata.ts'
import type { NestedField } from '#lib/iceberg/metadata/types.ts'
import type { ObjectReader } from '#lib/iceberg/object-reader.ts'
import {
  FILE_PATH_FIELD,
  type LiveFile,
  POSITION_FIELD,
  readLiveFiles,
} from '#lib/iceberg/read/live-files.ts'
import { findSnapshot } from '#lib/iceberg/read/read-manifests.ts'
import type { Cell } from './parquet-cell.ts'
import { readParquetRows } from './parquet-rows.ts'

const deleteFields: NestedField[] = [
  { id: FILE_PATH_FIELD, name: 'file_path', required: true, type: 'string' },
  { id: POSITION_FIELD, name: 'pos', required: true, type: 'long' },
]

const readPositions = async (read: ObjectReader, { file, deletes }: LiveFile): Promise<Set<Cell>> => {
  const rows = deletes ? await readParquetRows(read, deletes, deleteFields) : []
  const own = rows.filter(row => row.get(FILE_PATH_FIELD) === file.path)
  return new Set(own.map(row => row.get(POSITION_FIELD) ?? null))
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
  const rows: Cell[][] = []
  for (const live of await readLiveFiles(read, metadata, snapshotId)) {
    const positions = await readPositions(read, live)
    for (const [index, row] of (await readParquetRows(read, live.file, schema.fields)).entries())
      if (!positions.has(BigInt(index))) rows.push(schema.fields.map(field => row.get(field.id) ?? null))
  }
  return { columns: schema.fields.map(field => field.name), rows }
}
