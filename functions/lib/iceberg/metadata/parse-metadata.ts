import { z } from 'zod'
import { IcebergRefusal } from '../refusal.ts'
import { formatLongJson, parseLongJson } from './long-json.ts'
import { type TableMetadata, tableMetadata } from './table-metadata.ts'
import type { TableSchema } from './types.ts'

const versioned = z.looseObject({ 'format-version': z.int() })

/** `schemas[0].fields[2].type` */
const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index ? '.' : ''}${String(part)}`))
    .join('')

const problemOf = (issue: z.core.$ZodIssue): string => {
  const field = pathText(issue.path)
  const isMissing = issue.code === 'invalid_type' && issue.input === undefined
  return isMissing ? `it has no ${field}` : `${field} ${issue.message}`
}

const read = <Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> => {
  const result = schema.safeParse(value, { reportInput: true })
  if (result.success) return result.data
  const problems = [...result.error.issues.map(problemOf), ...danglingSchema(value)]
  throw new IcebergRefusal(`The table metadata is not valid: ${problems.join('; ')}.`, {
    cause: result.error,
  })
}

const schemaIds = z.looseObject({
  'current-schema-id': z.int(),
  schemas: z.array(z.looseObject({ 'schema-id': z.int() })),
})

/** A current schema that is not there, found in metadata that is broken elsewhere too. */
const danglingSchema = (value: unknown): string[] => {
  const { data } = schemaIds.safeParse(value)
  if (!data || data.schemas.some(schema => schema['schema-id'] === data['current-schema-id'])) return []
  return [`current-schema-id is ${data['current-schema-id']}, and no schema has that id`]
}

const readVersion = (value: unknown): unknown => {
  const version = read(versioned, value)['format-version']
  if (version === 2) return value
  if (version === 1) return upgradeVersion1(value)
  throw new IcebergRefusal(`The table has format version ${version}; versions 1 and 2 are read.`)
}

/** What must name something that is there. */
const danglingReference = (metadata: TableMetadata): string | undefined => {
  const hasSnapshot = (id: bigint) => metadata.snapshots.some(snapshot => snapshot['snapshot-id'] === id)
  const current = metadata['current-snapshot-id']
  const [schemaProblem] = danglingSchema(metadata)
  if (schemaProblem) return schemaProblem
  if (!metadata['partition-specs'].some(spec => spec['spec-id'] === metadata['default-spec-id']))
    return `default-spec-id is ${metadata['default-spec-id']}, and no partition spec has that id`
  if (!metadata['sort-orders'].some(order => order['order-id'] === metadata['default-sort-order-id']))
    return `default-sort-order-id is ${metadata['default-sort-order-id']}, and no sort order has that id`
  if (current !== undefined && !hasSnapshot(current))
    return `current-snapshot-id is ${current}, and no snapshot has that id`
  for (const [name, ref] of Object.entries(metadata.refs))
    if (!hasSnapshot(ref['snapshot-id']))
      return `the reference "${name}" names the snapshot ${ref['snapshot-id']}, which is not there`
  if (metadata.refs['main'] && metadata.refs['main']['snapshot-id'] !== current)
    return `the branch "main" is at ${metadata.refs['main']['snapshot-id']} and current-snapshot-id is ${current ?? 'absent'}`
  return undefined
}

/**
 * Reads the text of a metadata file, of format version 1 or 2, into the form of version 2.
 * Throws `IcebergRefusal` with a sentence that names what is wrong.
 */
export const parseMetadata = (text: string): TableMetadata => {
  let value: unknown
  try {
    value = parseLongJson(text)
  } catch (cause) {
    throw new IcebergRefusal('The table metadata is not JSON.', { cause })
  }
  const metadata = read(tableMetadata, readVersion(value))
  const problem = danglingReference(metadata)
  if (problem) throw new IcebergRefusal(`The table metadata is not valid: ${problem}.`)
  return metadata
}

export const formatMetadata = (metadata: TableMetadata): string => formatLongJson(metadata)

export const schemaById = (metadata: TableMetadata, id: number): TableSchema => {
  const schema = metadata.schemas.find(candidate => candidate['schema-id'] === id)
  if (!schema) throw new IcebergRefusal(`The table metadata has no schema with the id ${id}.`)
  return schema
}

export const currentSchema = (metadata: TableMetadata): TableSchema =>
  schemaById(metadata, metadata['current-schema-id'])

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
const upgradeVersion1 = (value: unknown): unknown => {
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
