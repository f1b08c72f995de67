import { z } from 'zod'
import { tableSchema } from './types.ts'

/** A long that may exceed 2^53: ids of snapshots that engines choose. */
const longId = z.union([z.bigint(), z.int()]).transform(BigInt)

const snapshot = z.looseObject({
  'snapshot-id': longId,
  'parent-snapshot-id': longId.optional(),
  'sequence-number': z.int(),
  'timestamp-ms': z.int(),
  'manifest-list': z.string(),
  summary: z.record(z.string(), z.string()).default({}),
  'schema-id': z.int().optional(),
})
export type IcebergSnapshot = z.infer<typeof snapshot>

const snapshotReference = z.looseObject({ 'snapshot-id': longId, type: z.enum(['branch', 'tag']) })

/** Neither partitioned nor sorted. */
const noFields = z.tuple([])

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
  'partition-specs': z.array(z.looseObject({ 'spec-id': z.literal(0), fields: noFields })),
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
  'sort-orders': z.array(z.looseObject({ 'order-id': z.int(), fields: noFields })),
  'default-sort-order-id': z.int(),
  refs: z.record(z.string(), snapshotReference).default({}),
  /** What other engines know of values, in files beside the snapshots. */
  statistics: z.array(z.looseObject({ 'statistics-path': z.string() })).optional(),
})
export type TableMetadata = z.infer<typeof tableMetadata>
