import { z } from 'zod'
import { IcebergRefusal } from '../refusal.ts'

const FIRST_PARTITION_ID = 1000

const version1 = z.looseObject({
  schema: z.looseObject({}).optional(),
  schemas: z.array(z.unknown()).optional(),
  'partition-spec': z.array(z.looseObject({ 'field-id': z.int().optional() })).default([]),
  'partition-specs': z
    .array(z.looseObject({ fields: z.array(z.looseObject({ 'field-id': z.int().optional() })) }))
    .optional(),
  snapshots: z.array(z.looseObject({ 'manifest-list': z.unknown(), manifests: z.unknown() })).default([]),
})

type PartitionFields = { 'field-id'?: number | undefined }[]

// Specification, "Partition Evolution": in version 1 the ids were given in order from 1000.
const numberFields = (fields: PartitionFields) =>
  fields.map((field, index) => ({ ...field, 'field-id': field['field-id'] ?? FIRST_PARTITION_ID + index }))

/** Metadata of version 1 in the form of version 2, not yet checked further ("Version 2: Reading v1 metadata"). */
export const upgradeVersion1 = (value: unknown): unknown => {
  const old = version1.parse(value)
  if (old.snapshots.some(snapshot => snapshot['manifest-list'] === undefined))
    throw new IcebergRefusal(
      'A snapshot of the table has no manifest list, only manifests, as very old writers wrote them.',
    )
  const specs = (old['partition-specs'] ?? [{ 'spec-id': 0, fields: old['partition-spec'] }]).map(spec => ({
    ...spec,
    fields: numberFields(spec.fields),
  }))
  const partitionIds = specs.flatMap(spec => spec.fields.map(field => field['field-id']))
  const { schema, 'partition-spec': _, ...rest } = old
  return {
    'table-uuid': '',
    'last-sequence-number': 0,
    'current-schema-id': 0,
    'default-spec-id': 0,
    'last-partition-id': Math.max(FIRST_PARTITION_ID - 1, ...partitionIds),
    'sort-orders': [{ 'order-id': 0, fields: [] }],
    'default-sort-order-id': 0,
    ...rest,
    'format-version': 2,
    schemas: old.schemas ?? (schema ? [{ 'schema-id': 0, ...schema }] : undefined),
    'partition-specs': specs,
  }
}
