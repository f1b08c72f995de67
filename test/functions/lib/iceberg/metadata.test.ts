import { describe, expect, it } from 'vitest'
import { newMetadata, withFields } from '#lib/iceberg/commit/plan-commit.ts'
import { formatLongJson, parseLongJson } from '#lib/iceberg/metadata/long-json.ts'
import { currentSchema, formatMetadata, parseMetadata } from '#lib/iceberg/metadata/parse-metadata.ts'
import { IcebergRefusal } from '#lib/iceberg/refusal.ts'

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

  it('reads decimals however they are spaced', () => {
    const fields = [{ id: 1, name: 'd', required: false, type: 'decimal(10, 2)' }]
    const text = changed(json =>
      Object.assign(json, { schemas: [{ type: 'struct', 'schema-id': 0, fields }] }),
    )
    expect(currentSchema(parseMetadata(text)).fields).toMatchObject([{ type: 'decimal(10,2)' }])
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
    ['no schemas', drop('schemas')],
    ['no version', drop('format-version')],
    ['another version', set({ 'format-version': 3 })],
    ['partitions', set({ 'partition-specs': [{ 'spec-id': 0, fields: [{ name: 'x' }] }] })],
    ['a type that tables here have not', withType('timestamp_ns')],
    ['a nested type', withType({ type: 'struct', fields: [] })],
  ])('is refused with %s', (_, change) => {
    expect(() => parseMetadata(changed(change))).toThrow(IcebergRefusal)
  })

  it('is refused when it is no JSON or half of it', () => {
    expect(() => parseMetadata(formatMetadata(valid()).slice(0, -10))).toThrow(IcebergRefusal)
  })

  it('without its current schema gives none', () => {
    const text = changed(set({ 'current-schema-id': 7 }))
    expect(() => currentSchema(parseMetadata(text))).toThrow('no schema with the id 7')
  })
})
