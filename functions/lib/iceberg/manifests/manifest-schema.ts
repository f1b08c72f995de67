import type { AvroField, AvroSchema } from './avro-container.ts'

const required = (id: number, name: string, type: AvroSchema): AvroField => ({ name, type, 'field-id': id })
const optional = (id: number, name: string, type: AvroSchema): AvroField => ({
  name,
  type: ['null', type],
  default: null,
  'field-id': id,
})

/** A map by column id. Avro's own maps have text keys only. */
const byColumn = (keyId: number, valueId: number, value: string): AvroSchema => ({
  type: 'array',
  logicalType: 'map',
  items: {
    type: 'record',
    name: `k${keyId}_v${valueId}`,
    fields: [required(keyId, 'key', 'int'), required(valueId, 'value', value)],
  },
})

const list = (elementId: number, items: AvroSchema): AvroSchema => ({
  type: 'array',
  items,
  'element-id': elementId,
})

const dataFileFields: AvroField[] = [
  required(134, 'content', 'int'),
  required(100, 'file_path', 'string'),
  required(101, 'file_format', 'string'),
  required(102, 'partition', { type: 'record', name: 'r102', fields: [] }),
  required(103, 'record_count', 'long'),
  required(104, 'file_size_in_bytes', 'long'),
  optional(108, 'column_sizes', byColumn(117, 118, 'long')),
  optional(109, 'value_counts', byColumn(119, 120, 'long')),
  optional(110, 'null_value_counts', byColumn(121, 122, 'long')),
  optional(137, 'nan_value_counts', byColumn(138, 139, 'long')),
  optional(125, 'lower_bounds', byColumn(126, 127, 'bytes')),
  optional(128, 'upper_bounds', byColumn(129, 130, 'bytes')),
  optional(131, 'key_metadata', 'bytes'),
  optional(132, 'split_offsets', list(133, 'long')),
  optional(135, 'equality_ids', list(136, 'int')),
  optional(140, 'sort_order_id', 'int'),
  optional(143, 'referenced_data_file', 'string'),
]

/** Entries of a manifest without partitions (specification, "Manifests", version 2). */
export const manifestEntrySchema: AvroSchema = {
  type: 'record',
  name: 'manifest_entry',
  fields: [
    required(0, 'status', 'int'),
    optional(1, 'snapshot_id', 'long'),
    optional(3, 'sequence_number', 'long'),
    optional(4, 'file_sequence_number', 'long'),
    required(2, 'data_file', { type: 'record', name: 'r2', fields: dataFileFields }),
  ],
}

const partitionSummary: AvroSchema = {
  type: 'record',
  name: 'r508',
  fields: [
    required(509, 'contains_null', 'boolean'),
    optional(518, 'contains_nan', 'boolean'),
    optional(510, 'lower_bound', 'bytes'),
    optional(511, 'upper_bound', 'bytes'),
  ],
}

/** Entries of a manifest list (specification, "Manifest Lists", version 2). */
export const manifestFileSchema: AvroSchema = {
  type: 'record',
  name: 'manifest_file',
  fields: [
    required(500, 'manifest_path', 'string'),
    required(501, 'manifest_length', 'long'),
    required(502, 'partition_spec_id', 'int'),
    required(517, 'content', 'int'),
    required(515, 'sequence_number', 'long'),
    required(516, 'min_sequence_number', 'long'),
    required(503, 'added_snapshot_id', 'long'),
    required(504, 'added_files_count', 'int'),
    required(505, 'existing_files_count', 'int'),
    required(506, 'deleted_files_count', 'int'),
    required(512, 'added_rows_count', 'long'),
    required(513, 'existing_rows_count', 'long'),
    required(514, 'deleted_rows_count', 'long'),
    optional(507, 'partitions', list(508, partitionSummary)),
  ],
}

const idOf = (field: AvroField): number => field['field-id'] ?? -1
const names = new Map<number, string>(
  [
    ...dataFileFields,
    ...(manifestEntrySchema.fields as AvroField[]),
    ...(manifestFileSchema.fields as AvroField[]),
  ].map(field => [idOf(field), field.name]),
)

/** The name of a field of manifests by its id. Writers differ in some names (`added_data_files_count`). */
export const manifestFieldName = (id: number): string | undefined => names.get(id)
