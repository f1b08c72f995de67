import { z } from 'zod'
import { formatLongJson } from '../metadata/long-json.ts'
import type { TableSchema } from '../metadata/types.ts'
import { IcebergRefusal } from '../refusal.ts'
import type { ColumnStatistics, DataFile, ManifestEntry } from './data-file.ts'
import { manifestEntrySchema, manifestFieldName } from './manifest-schema.ts'

const count = z.bigint().transform(Number)
const byColumn = <Value extends z.ZodType>(value: Value) =>
  z.array(z.object({ key: z.int(), value })).nullish()

const manifestRecord = z.object({
  status: z.int().min(0).max(2),
  snapshot_id: z.bigint().nullish(),
  sequence_number: count.nullish(),
  file_sequence_number: count.nullish(),
  data_file: z.object({
    // Deletes by equality, which are the third kind, are not made here.
    content: z.int().min(0).max(1),
    file_path: z.string(),
    record_count: count,
    file_size_in_bytes: count,
    column_sizes: byColumn(count),
    value_counts: byColumn(count),
    null_value_counts: byColumn(count),
    nan_value_counts: byColumn(count),
    lower_bounds: byColumn(z.instanceof(Uint8Array)),
    upper_bounds: byColumn(z.instanceof(Uint8Array)),
    referenced_data_file: z.string().nullish(),
  }),
})
type DataFileRecord = z.infer<typeof manifestRecord>['data_file']

const statuses = ['existing', 'added', 'deleted'] as const
const contents = ['data', 'positionDeletes'] as const

/** Each map of a manifest with the field of the statistics that it holds. */
const statisticFields = {
  column_sizes: 'bytes',
  value_counts: 'values',
  null_value_counts: 'nulls',
  nan_value_counts: 'nans',
  lower_bounds: 'lower',
  upper_bounds: 'upper',
} as const
type StatisticMap = keyof typeof statisticFields
const statisticMaps = Object.keys(statisticFields) as StatisticMap[]

const readStatistics = (record: DataFileRecord): Map<number, ColumnStatistics> => {
  const columns = new Map<number, ColumnStatistics>()
  for (const map of statisticMaps)
    for (const { key, value } of record[map] ?? [])
      columns.set(key, { ...columns.get(key), [statisticFields[map]]: value })
  return columns
}

/** Empty where nothing is known: PyIceberg's `inspect.entries` reads each map without looking for null. */
const writeStatistics = (map: StatisticMap, columns: DataFile['columns']) =>
  [...columns].flatMap(([key, statistics]) => {
    const value = statistics[statisticFields[map]]
    if (value === undefined) return []
    return [{ key, value: typeof value === 'number' ? BigInt(value) : Buffer.from(value) }]
  })

const readFile = (record: DataFileRecord): DataFile => ({
  content: contents[record.content] ?? 'data',
  path: record.file_path,
  rows: record.record_count,
  bytes: record.file_size_in_bytes,
  columns: readStatistics(record),
  ...(record.referenced_data_file && { referencedDataFile: record.referenced_data_file }),
})

const writeFile = (file: DataFile) => ({
  content: contents.indexOf(file.content),
  file_path: file.path,
  file_format: 'PARQUET',
  partition: {},
  record_count: BigInt(file.rows),
  file_size_in_bytes: BigInt(file.bytes),
  ...Object.fromEntries(statisticMaps.map(map => [map, writeStatistics(map, file.columns)])),
  key_metadata: null,
  split_offsets: null,
  equality_ids: null,
  // Specification, "Data File Fields": position deletes have none. Trino reads that of other files without looking for null.
  sort_order_id: file.content === 'positionDeletes' ? null : 0,
  referenced_data_file: file.referencedDataFile ?? null,
})

/** What the manifest list says of a manifest, and its entries inherit. */
interface Inheritance {
  path: string
  sequenceNumber: number
  addedSnapshotId: bigint
}

/**
 * Reads the entries of a manifest. An added file without sequence numbers takes those of the manifest (specification,
 * "Sequence Number Inheritance").
 */
export const decodeManifest = async (content: Uint8Array, from: Inheritance): Promise<ManifestEntry[]> => {
  const { decodeAvro } = await loadAvro()
  const { records } = await decodeAvro(content, manifestFieldName)
  const result = z.array(manifestRecord).safeParse(records)
  if (!result.success)
    throw new IcebergRefusal(`The manifest ${from.path} has an entry that is not valid.`, {
      cause: result.error,
    })
  return result.data.map(record => {
    const status = statuses[record.status] ?? 'existing'
    const inherited = status === 'added' ? from.sequenceNumber : undefined
    const sequenceNumber = record.sequence_number ?? inherited
    const fileSequenceNumber = record.file_sequence_number ?? inherited
    if (sequenceNumber === undefined || fileSequenceNumber === undefined)
      throw new IcebergRefusal(`The manifest ${from.path} has an ${status} file without a sequence number.`)
    return {
      status,
      snapshotId: record.snapshot_id ?? from.addedSnapshotId,
      sequenceNumber,
      fileSequenceNumber,
      file: readFile(record.data_file),
    }
  })
}

/** The bytes of a manifest. Files without a sequence number yet (`added` by this commit) leave it to be inherited. */
export const encodeManifest = async (
  schema: TableSchema,
  { content, entries }: { content: 'data' | 'deletes'; entries: readonly NewEntry[] },
): Promise<Buffer> => {
  const { encodeAvro } = await loadAvro()
  return encodeAvro(manifestEntrySchema, {
    header: {
      schema: formatLongJson(schema),
      'schema-id': String(schema['schema-id']),
      'partition-spec': '[]',
      'partition-spec-id': '0',
      'format-version': '2',
      content,
    },
    records: entries.map(entry => ({
      status: statuses.indexOf(entry.status),
      snapshot_id: entry.snapshotId,
      sequence_number: entry.sequenceNumber === undefined ? null : BigInt(entry.sequenceNumber),
      file_sequence_number: entry.fileSequenceNumber === undefined ? null : BigInt(entry.fileSequenceNumber),
      data_file: writeFile(entry.file),
    })),
  })
}

/** An entry to write: one that this commit adds has no sequence numbers. */
export type NewEntry = Omit<ManifestEntry, 'sequenceNumber' | 'fileSequenceNumber'> & {
  sequenceNumber?: number
  fileSequenceNumber?: number
}

/** Loaded with the first manifest: the library is large, and most requests read the heads of tables only. */
export const loadAvro = () => import('./avro-container.ts')
