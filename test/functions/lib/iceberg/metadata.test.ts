import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { newMetadata, withFields } from '#lib/iceberg/commit/plan-commit.ts'
import { formatLongJson, parseLongJson } from '#lib/iceberg/metadata/long-json.ts'
import { currentSchema, formatMetadata, parseMetadata } from '#lib/iceberg/metadata/parse-metadata.ts'
import { IcebergRefusal } from '#lib/iceberg/refusal.ts'
import { haveSharedTables, sharedTables } from './support/shared-tables.ts'

const BIG = 3055729675574597004n

const valid = () => {
  const empty = newMetadata({ uuid: '9c12d441-03fe-4693-9a96-a0705ddf69c1', location: 's3://b/t' }, 1000)
  const metadata = withFields(empty, [
    { id: 1, name: 'x', required: true, type: 'long' },
    { id: 2, name: 'price', required: false, type: 'decimal(10,2)' },
  ])
  const snapshot = {
    'snapshot-id': BIG,
    'sequence-number': 1,
    'timestamp-ms': 1000,
    'manifest-list': 's3://b/t/metadata/1.avro',
    summary: { operation: 'append' },
  }
  return { ...metadata, snapshots: [snapshot], 'current-snapshot-id': BIG }
}

/** The valid metadata after a change of its JSON. */
const changed = (change: (json: Record<string, unknown>) => void): string => {
  const json = parseLongJson(formatLongJson(valid())) as Record<string, unknown>
  change(json)
  return formatLongJson(json)
}

describe('table metadata', () => {
  it('is read as it was written, with ids of 64 bits', () => {
    const metadata = parseMetadata(formatMetadata(valid()))
    expect(metadata).toEqual(valid())
    expect(formatMetadata(metadata)).toContain('"current-snapshot-id":3055729675574597004')
  })

  it('keeps fields that we do not know', () => {
    const statistics = [{ 'snapshot-id': BIG, 'statistics-path': 's3://b/t/stats.puffin' }]
    const metadata = parseMetadata(changed(json => Object.assign(json, { statistics })))
    expect(parseLongJson(formatMetadata(metadata))).toMatchObject({ statistics })
  })

  it('has no current snapshot when it says -1 or null', () => {
    for (const none of [-1, null]) {
      const text = changed(json => Object.assign(json, { 'current-snapshot-id': none, snapshots: [] }))
      expect(parseMetadata(text)['current-snapshot-id']).toBeUndefined()
    }
  })

  it('reads nested types, and decimals however they are spaced', () => {
    const fields = [
      { id: 1, name: 'd', required: false, type: 'decimal(10, 2)' },
      {
        id: 2,
        name: 'l',
        required: false,
        type: {
          type: 'list',
          'element-id': 3,
          'element-required': false,
          element: {
            type: 'map',
            'key-id': 4,
            key: 'string',
            'value-id': 5,
            'value-required': false,
            value: { type: 'struct', fields: [{ id: 6, name: 'f', required: false, type: 'fixed[ 4 ]' }] },
          },
        },
      },
    ]
    const text = changed(json =>
      Object.assign(json, { schemas: [{ type: 'struct', 'schema-id': 0, fields }] }),
    )
    expect(currentSchema(parseMetadata(text)).fields).toMatchObject([
      { type: 'decimal(10,2)' },
      { type: { element: { value: { fields: [{ type: 'fixed[4]' }] } } } },
    ])
  })

  const drop = (name: string) => (json: Record<string, unknown>) => {
    delete json[name]
  }
  const set = (values: Record<string, unknown>) => (json: Record<string, unknown>) => {
    Object.assign(json, values)
  }
  const withType = (type: unknown) =>
    set({
      schemas: [{ type: 'struct', 'schema-id': 0, fields: [{ id: 1, name: 'x', required: true, type }] }],
    })

  it.each<[string, (json: Record<string, unknown>) => void]>([
    ['The table metadata is not valid: it has no schemas.', drop('schemas')],
    ['it has no partition-specs.', drop('partition-specs')],
    ['it has no sort-orders.', drop('sort-orders')],
    ['it has no last-partition-id.', drop('last-partition-id')],
    ['it has no format-version.', drop('format-version')],
    ['The table has format version 3; versions 1 and 2 are read.', set({ 'format-version': 3 })],
    ['current-schema-id is 7, and no schema has that id.', set({ 'current-schema-id': 7 })],
    ['default-spec-id is 7, and no partition spec has that id.', set({ 'default-spec-id': 7 })],
    ['default-sort-order-id is 7, and no sort order has that id.', set({ 'default-sort-order-id': 7 })],
    ['current-snapshot-id is 7, and no snapshot has that id.', set({ 'current-snapshot-id': 7 })],
    [
      'the reference "audit" names the snapshot 7, which is not there.',
      set({ refs: { audit: { 'snapshot-id': 7, type: 'tag' } } }),
    ],
    [
      'schemas[0].fields[0].type is "timestamp_ns", which is no type of Iceberg version 2.',
      withType('timestamp_ns'),
    ],
    [
      'schemas[0].fields[0].type is "variant", which is no type of Iceberg version 2.',
      withType({ type: 'variant' }),
    ],
  ])('is refused: %s', (sentence, change) => {
    expect(() => parseMetadata(changed(change))).toThrow(IcebergRefusal)
    expect(() => parseMetadata(changed(change))).toThrow(sentence)
  })

  it('is refused when it is no JSON or half of it', () => {
    expect(() => parseMetadata(formatMetadata(valid()).slice(0, -10))).toThrow(
      'The table metadata is not JSON.',
    )
  })

  it('of version 1 is read in the form of version 2', () => {
    const metadata = parseMetadata(
      JSON.stringify({
        'format-version': 1,
        'table-uuid': 'd20125c8-7284-442c-9aea-15fee620737c',
        location: 's3://b/t',
        'last-updated-ms': 1,
        'last-column-id': 1,
        schema: { type: 'struct', fields: [{ id: 1, name: 'x', required: true, type: 'long' }] },
        'partition-spec': [{ name: 'x', transform: 'identity', 'source-id': 1 }],
      }),
    )
    expect(metadata).toMatchObject({
      'format-version': 2,
      'last-sequence-number': 0,
      'partition-specs': [{ 'spec-id': 0, fields: [{ 'field-id': 1000 }] }],
      'last-partition-id': 1000,
    })
    expect(currentSchema(metadata).fields).toHaveLength(1)
  })
})

describe.skipIf(!haveSharedTables)('metadata of other writers', () => {
  const folder = path.join(sharedTables, 'metadata')
  const refusals: Record<string, string> = {
    'TableMetadataUnsupportedVersion.json': 'The table has format version 42; versions 1 and 2 are read.',
    'TableMetadataV2CurrentSchemaNotFound.json': 'current-schema-id is 2, and no schema has that id',
    'TableMetadataV2MissingLastPartitionId.json': 'it has no last-partition-id.',
    'TableMetadataV2MissingPartitionSpecs.json': 'it has no partition-specs',
    'TableMetadataV2MissingSchemas.json': 'it has no schemas',
    'TableMetadataV2MissingSortOrder.json': 'it has no sort-orders',
  }

  it.each(haveSharedTables ? readdirSync(folder) : [])('%s is read, or refused by what is wrong', name => {
    const text = readFileSync(path.join(folder, name), 'utf8')
    const refusal = refusals[name]
    if (refusal) expect(() => parseMetadata(text)).toThrow(refusal)
    else expect(parseMetadata(formatMetadata(parseMetadata(text)))).toEqual(parseMetadata(text))
  })

  it('are all there', () => {
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(Object.keys(refusals)))
  })
})
