import { z } from 'zod'
import { formatLongJson } from '../metadata/long-json.ts'
import type { TableSchema } from '../metadata/types.ts'
import { IcebergRefusal } from '../refusal.ts'
import type { ColumnStatistics, DataFile, ManifestEntry, PartitionValue } from './data-file.ts'
import { manifestEntrySchema, manifestFieldName } from './manifest-schema.ts'

const count = z.bigint().transform(Number)
const bytes = z.instanceof(Uint8Array)
const byColumn = <Value extends z.ZodType>(value: Value) =>
  z.array(z.object({ key: z.int(), value })).nullish()

const partitionValue: z.ZodType<PartitionValue> = z.union([
  z.string(),
  z.number(),
  z.bigint(),
  z.boolean(),
  bytes,
  z.null(),
])

const dataFile = z.object({
  /** Absent in version 1, which has data files only. */
  content: z.int().min(0).max(2).default(0),
  file_path: z.string(),
  file_format: z.string(),
  // avsc gives an object of a class of its own.
  partition: z
    .unknown()
    .transform(value => ({ ...Object(value) }))
    .pipe(z.record(z.string(), partitionValue)),
  record_count: count,
  file_size_in_bytes: count,
  column_sizes: byColumn(count),
  value_counts: byColumn(count),
  null_value_counts: byColumn(count),
  nan_value_counts: byColumn(count),
  lower_bounds: byColumn(bytes),
  upper_bounds: byColumn(bytes),
  key_metadata: bytes.nullish(),
  split_offsets: z.array(count).nullish(),
  equality_ids: z.array(z.int()).nullish(),
  sort_order_id: z.int().nullish(),
  referenced_data_file: z.string().nullish(),
})

const manifestRecord = z.object({
  status: z.int().min(0).max(2),
  snapshot_id: z.bigint().nullish(),
  sequence_number: count.nullish(),
  file_sequence_number: count.nullish(),
  data_file: dataFile,
})
type ManifestRecord = z.infer<typeof manifestRecord>
type DataFileRecord = ManifestRecord['data_file']

const statuses = ['existing', 'added', 'deleted'] as const
const contents = ['data', 'positionDeletes', 'equalityDeletes'] as const

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

const readFile = (record: DataFileRecord, specId: number): DataFile => {
  if (record.key_metadata) throw new IcebergRefusal(`The file ${record.file_path} is encrypted.`)
  return {
    content: contents[record.content] ?? 'data',
    path: record.file_path,
    format: record.file_format.toLowerCase(),
    specId,
    partition: new Map(
      Object.entries(record.partition).map(([name, value]) => [Number(name.slice(1)), value]),
    ),
    rows: record.record_count,
    bytes: record.file_size_in_bytes,
    columns: readStatistics(record),
    ...(record.split_offsets && { splitOffsets: record.split_offsets }),
    ...(record.equality_ids && { equalityIds: record.equality_ids }),
    ...(record.sort_order_id !== null &&
      record.sort_order_id !== undefined && { sortOrderId: record.sort_order_id }),
    ...(record.referenced_data_file && { referencedDataFile: record.referenced_data_file }),
  }
}

const writeFile = (file: DataFile) => ({
  content: contents.indexOf(file.content),
  file_path: file.path,
  file_format: file.format.toUpperCase(),
  partition: {},
  record_count: BigInt(file.rows),
  file_size_in_bytes: BigInt(file.bytes),
  ...Object.fromEntries(statisticMaps.map(map => [map, writeStatistics(map, file.columns)])),
  key_metadata: null,
  split_offsets: file.splitOffsets?.map(BigInt) ?? null,
  equality_ids: file.equalityIds ?? null,
  // Specification, "Data File Fields": position deletes have none. Trino reads that of other files without looking for null.
  sort_order_id: file.sortOrderId ?? (file.content === 'positionDeletes' ? null : 0),
  referenced_data_file: file.referencedDataFile ?? null,
})

/** What the manifest list says of a manifest, and its entries inherit. */
interface Inheritance {
  path: string
  sequenceNumber: number
  addedSnapshotId: bigint
}

/**
 * Reads the entries of a manifest, of format version 1 or 2. An added file without sequence numbers takes those of the
 * manifest (specification, "Sequence Number Inheritance"); those of version 1 have 0.
 */
export const decodeManifest = async (content: Uint8Array, from: Inheritance): Promise<ManifestEntry[]> => {
  const { decodeAvro } = await loadAvro()
  const { header, records } = await decodeAvro(content, manifestFieldName)
  const isVersion1 = (header['format-version'] ?? '1') === '1'
  const specId = Number(header['partition-spec-id'] ?? 0)
  return records.map(value => {
    const result = manifestRecord.safeParse(value)
    if (!result.success)
      throw new IcebergRefusal(`The manifest ${from.path} has an entry that is not valid.`, {
        cause: result.error,
      })
    const record = result.data
    const status = statuses[record.status] ?? 'existing'
    const inherited = isVersion1 ? 0 : status === 'added' ? from.sequenceNumber : undefined
    const sequenceNumber = record.sequence_number ?? inherited
    const fileSequenceNumber = record.file_sequence_number ?? inherited
    if (sequenceNumber === undefined || fileSequenceNumber === undefined)
      throw new IcebergRefusal(`The manifest ${from.path} has an ${status} file without a sequence number.`)
    return {
      status,
      snapshotId: record.snapshot_id ?? from.addedSnapshotId,
      sequenceNumber,
      fileSequenceNumber,
      file: readFile(record.data_file, specId),
    }
  })
}

/**
 * The bytes of a manifest of format version 2. Files without a sequence number yet (`added` by this commit) leave it to
 * be inherited. All files belong to the partition spec without fields; others are refused.
 */
export const encodeManifest = async (
  schema: TableSchema,
  { content, entries }: { content: 'data' | 'deletes'; entries: readonly NewEntry[] },
): Promise<Buffer> => {
  const partitioned = entries.find(entry => entry.file.partition.size > 0)
  if (partitioned) throw new IcebergRefusal(`The file ${partitioned.file.path} belongs to a partition.`)
  const { encodeAvro } = await loadAvro()
  return encodeAvro(manifestEntrySchema, {
    header: {
      schema: formatLongJson(schema),
      'schema-id': String(schema['schema-id']),
      'partition-spec': '[]',
      'partition-spec-id': String(entries[0]?.file.specId ?? 0),
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
