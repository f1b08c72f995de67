import type { TableMetadata } from '../metadata/table-metadata.ts'
import type { NestedField } from '../metadata/types.ts'

/** What a new table is made of. */
export interface NewTable {
  uuid: string
  /** Its folder: `s3://bucket/tables/7`, without a slash at the end. */
  location: string
}

// Specification, "Partition Evolution": ids of partition fields begin at 1000.
const LAST_PARTITION_ID = 999

/** Metadata of a table without columns and snapshots: unpartitioned, unsorted. */
export const newMetadata = ({ uuid, location }: NewTable, timeMs: number): TableMetadata => ({
  'format-version': 2,
  'table-uuid': uuid,
  location,
  'last-sequence-number': 0,
  'last-updated-ms': timeMs,
  'last-column-id': 0,
  schemas: [{ type: 'struct', 'schema-id': 0, fields: [] }],
  'current-schema-id': 0,
  'partition-specs': [{ 'spec-id': 0, fields: [] }],
  'default-spec-id': 0,
  'last-partition-id': LAST_PARTITION_ID,
  properties: {},
  'current-snapshot-id': undefined,
  snapshots: [],
  'snapshot-log': [],
  'metadata-log': [],
  'sort-orders': [{ 'order-id': 0, fields: [] }],
  'default-sort-order-id': 0,
  refs: {},
})

const sameFields = (left: readonly NestedField[], right: readonly NestedField[]): boolean =>
  JSON.stringify(left) === JSON.stringify(right)

/** The metadata with these columns. A schema that the table has had before is used again. */
export const withFields = (
  metadata: TableMetadata,
  fields: readonly NestedField[],
  lastColumnId = 0,
): TableMetadata => {
  const known = metadata.schemas.find(schema => sameFields(schema.fields, fields))
  const isUnused = metadata.snapshots.length === 0 && metadata['last-column-id'] === 0
  const id = isUnused ? 0 : Math.max(...metadata.schemas.map(schema => schema['schema-id'])) + 1
  const added = { type: 'struct' as const, 'schema-id': id, fields: [...fields] }
  return {
    ...metadata,
    schemas: known ? metadata.schemas : [...(isUnused ? [] : metadata.schemas), added],
    'current-schema-id': known?.['schema-id'] ?? id,
    'last-column-id': Math.max(metadata['last-column-id'], lastColumnId, ...fields.map(field => field.id)),
  }
}
