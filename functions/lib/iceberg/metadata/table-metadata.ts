import { z } from 'zod'
import { tableSchema } from './types.ts'

/** A long that may exceed 2^53: ids of snapshots that other writers chose. */
const longId = z.union([z.bigint(), z.int()]).transform(BigInt)

const partitionField = z.looseObject({
  'source-id': z.int(),
  'field-id': z.int(),
  name: z.string(),
  transform: z.string(),
})
const partitionSpec = z.looseObject({ 'spec-id': z.int(), fields: z.array(partitionField) })

const sortOrder = z.looseObject({
  'order-id': z.int(),
  fields: z.array(
    z.looseObject({
      transform: z.string(),
      'source-id': z.int(),
      direction: z.enum(['asc', 'desc']),
      'null-order': z.enum(['nulls-first', 'nulls-last']),
    }),
  ),
})

const snapshot = z.looseObject({
  'snapshot-id': longId,
  'parent-snapshot-id': longId.optional(),
  /** Tables of version 1 have none: 0. */
  'sequence-number': z.int().default(0),
  'timestamp-ms': z.int(),
  'manifest-list': z.string(),
  summary: z.record(z.string(), z.string()).default({}),
  'schema-id': z.int().optional(),
})
export type IcebergSnapshot = z.infer<typeof snapshot>

const snapshotReference = z.looseObject({ 'snapshot-id': longId, type: z.enum(['branch', 'tag']) })

/**
 * The metadata file of a table, in the spelling of the specification ("Table Metadata Fields"). Fields that we do not
 * know stay in it, so that a commit of ours loses nothing that another writer noted.
 */
export const tableMetadata = z.looseObject({
  'format-version': z.literal(2),
  'table-uuid': z.string(),
  location: z.string(),
  'last-sequence-number': z.int(),
  'last-updated-ms': z.int(),
  'last-column-id': z.int(),
  schemas: z.array(tableSchema),
  'current-schema-id': z.int(),
  'partition-specs': z.array(partitionSpec),
  'default-spec-id': z.int(),
  'last-partition-id': z.int(),
  properties: z.record(z.string(), z.string()).default({}),
  /** Absent, null or -1 while the table has no snapshot. */
  'current-snapshot-id': longId
    .nullish()
    .transform(id => (id === null || id === undefined || id === -1n ? undefined : id)),
  snapshots: z.array(snapshot).default([]),
  'snapshot-log': z.array(z.looseObject({ 'snapshot-id': longId, 'timestamp-ms': z.int() })).default([]),
  'metadata-log': z
    .array(z.looseObject({ 'metadata-file': z.string(), 'timestamp-ms': z.int() }))
    .default([]),
  'sort-orders': z.array(sortOrder),
  'default-sort-order-id': z.int(),
  refs: z.record(z.string(), snapshotReference).default({}),
  /** What other engines know of values, in files beside the snapshots. */
  statistics: z.array(z.looseObject({ 'statistics-path': z.string() })).optional(),
})
export type TableMetadata = z.infer<typeof tableMetadata>
