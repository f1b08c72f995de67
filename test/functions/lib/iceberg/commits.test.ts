import { describe, expect, it } from 'vitest'
import { locationsOf, withoutOldSnapshots } from '#lib/iceberg/commit/expire-snapshots.ts'
import { planCommit } from '#lib/iceberg/commit/plan-commit.ts'
import { decodeAvro } from '#lib/iceberg/manifests/avro-container.ts'
import type { ColumnStatistics } from '#lib/iceberg/manifests/data-file.ts'
import { manifestFieldName } from '#lib/iceberg/manifests/manifest-schema.ts'
import { formatMetadata, parseMetadata } from '#lib/iceberg/metadata/parse-metadata.ts'
import { readLiveFiles } from '#lib/iceberg/read/live-files.ts'
import {
  findSnapshot,
  readLiveEntries,
  readManifest,
  readManifestList,
} from '#lib/iceberg/read/read-manifests.ts'
import { IcebergRefusal } from '#lib/iceberg/refusal.ts'
import { serializeValue } from '#lib/iceberg/values/bounds.ts'
import { createTableWriter, dataFile, TABLE, textField } from './support/table-writer.ts'

const content = Buffer.from('content is not read here')
const file = (name: string, rows = 10) => dataFile(name, content, rows)
const pathOf = (name: string) => file(name).path
const fields = [textField(2, 'a')]

const manifestsOf = async ({ read }: ReturnType<typeof createTableWriter>, metadata: Parsed) => {
  const snapshot = findSnapshot(metadata)
  return snapshot ? readManifestList(read, snapshot) : []
}
type Parsed = ReturnType<typeof parseMetadata>

const pathsIn = async ({ read }: ReturnType<typeof createTableWriter>, metadata: Parsed, id?: bigint) =>
  (await readLiveFiles(read, metadata, id)).map(live => live.file.path)

describe('a commit', () => {
  it('writes manifest, manifest list and metadata in this order, and its metadata is read back', async () => {
    const table = createTableWriter()
    const { objects, location, metadata } = await table.commit({
      operation: 'append',
      fields,
      added: [file('1')],
    })
    expect(objects.map(object => object.location)).toEqual([
      expect.stringMatching(/^s3:\/\/tables\/tables\/7\/metadata\/[0-9a-f-]{36}-m0\.avro$/),
      expect.stringMatching(/^s3:\/\/tables\/tables\/7\/metadata\/snap-\d+-1-[0-9a-f-]{36}\.avro$/),
      location,
    ])
    expect(location).toMatch(/\/metadata\/00000-[0-9a-f-]{36}\.metadata\.json$/)
    expect(parseMetadata(Buffer.from(objects[2]?.content ?? []).toString())).toEqual(metadata)
  })

  it('is the same when it is planned again, and another one has other names', async () => {
    const table = createTableWriter()
    await table.commit({ fields, added: [file('1')] })
    const request = table.requestFor({ added: [file('2')] })
    const first = await planCommit(request)
    expect(await planCommit(request)).toEqual(first)
    const other = await planCommit({ ...request, commitId: 'another job' })
    const names = (plan: typeof first) => plan.objects.map(object => object.location)
    expect(names(other).filter(name => names(first).includes(name))).toEqual([])
  })

  it('of one more file uses the manifests before it again', async () => {
    const table = createTableWriter()
    const first = await table.commit({ fields, added: [file('1')] })
    const before = await manifestsOf(table, first.metadata)
    const second = await table.commit({ operation: 'append', added: [file('2')] })
    const after = await manifestsOf(table, second.metadata)
    expect(after.slice(0, 1)).toEqual(before)
    expect(after).toHaveLength(2)
    expect(second.objects).toHaveLength(3)
  })

  it('that removes a file writes only its manifest anew, and marks it there as deleted', async () => {
    const table = createTableWriter()
    await table.commit({ fields, added: [file('1'), file('2')] })
    const second = await table.commit({ added: [file('3')] })
    const [, untouched] = await manifestsOf(table, second.metadata)
    const third = await table.commit({ operation: 'delete', removedData: new Set([pathOf('1')]) })
    const [rewritten, kept] = await manifestsOf(table, third.metadata)
    expect(kept).toEqual(untouched)
    if (!rewritten) throw new Error('no manifest')
    const entries = await readManifest(table.read, rewritten)
    expect(entries.map(entry => [entry.status, entry.file.path, entry.sequenceNumber])).toEqual([
      ['deleted', pathOf('1'), 1],
      ['existing', pathOf('2'), 1],
    ])
    expect(await pathsIn(table, third.metadata)).toEqual([pathOf('2'), pathOf('3')])
    expect(third.metadata.snapshots.at(-1)?.summary).toMatchObject({
      operation: 'delete',
      'deleted-data-files': '1',
      'deleted-records': '10',
      'total-data-files': '2',
      'total-records': '20',
    })
  })

  it('leaves manifests without files out of the next one', async () => {
    const table = createTableWriter()
    await table.commit({ fields, added: [file('1')] })
    const emptied = await table.commit({ removedData: new Set([pathOf('1')]) })
    expect(await pathsIn(table, emptied.metadata)).toEqual([])
    const { metadata } = await table.commit({ added: [file('2')] })
    expect(await manifestsOf(table, metadata)).toHaveLength(1)
  })

  it('that removes a file which is not there is refused', async () => {
    const table = createTableWriter()
    await table.commit({ fields, added: [file('1')] })
    await expect(table.commit({ removedData: new Set([pathOf('9')]) })).rejects.toThrow(
      `The commit removes the file ${pathOf('9')}, which the table does not have.`,
    )
  })

  it('of columns alone makes no snapshot, and uses a schema that was there again', async () => {
    const table = createTableWriter()
    await table.commit({ fields, added: [file('1')] })
    const grown = await table.commit({ fields: [...fields, textField(3, 'b')] })
    expect(grown.objects).toHaveLength(1)
    expect(grown.metadata).toMatchObject({ 'current-schema-id': 1, 'last-column-id': 3 })
    const shrunk = await table.commit({ fields })
    expect(shrunk.metadata).toMatchObject({ 'current-schema-id': 0, 'last-column-id': 3 })
    expect(shrunk.metadata.schemas).toHaveLength(2)
    expect(shrunk.metadata.snapshots).toHaveLength(1)
  })

  it('logs the metadata file before it, and numbers its own', async () => {
    const table = createTableWriter()
    const first = await table.commit({ fields })
    const second = await table.commit({ properties: { owner: 'me' } })
    expect(second.metadata['metadata-log']).toEqual([
      { 'metadata-file': first.location, 'timestamp-ms': 1000 },
    ])
    expect(second.location).toContain('/metadata/00001-')
    for (let index = 0; index < 30; index++) await table.commit({ properties: { index: String(index) } })
    const { metadata } = await table.commit({ properties: {} })
    expect(metadata['metadata-log']).toHaveLength(20)
    expect(metadata.properties).toMatchObject({ owner: 'me', index: '29' })
  })

  it('is later than the one before, whatever the clock says', async () => {
    const table = createTableWriter()
    await table.commit({ fields, added: [file('1')] }, { timeMs: 5_000 })
    const { metadata } = await table.commit({ added: [file('2')] }, { timeMs: 4_000 })
    expect(metadata['last-updated-ms']).toBe(5_001)
    expect(metadata['snapshot-log'].map(entry => entry['timestamp-ms'])).toEqual([5_000, 5_001])
  })

  it('leaves no field null that other readers take for granted', async () => {
    const table = createTableWriter()
    const deletes = { content: 'positionDeletes', referencedDataFile: pathOf('1') } as const
    const added = [file('1'), dataFile('d', content, 1, deletes)]
    const { objects } = await table.commit({ fields, added })
    const [data, removed, list] = await Promise.all(
      objects.slice(0, 3).map(({ content }) => decodeAvro(content, manifestFieldName)),
    )
    // Trino's `$manifests` and Spark's `.manifests`.
    expect(list?.records).toMatchObject([{ partitions: [] }, { partitions: [] }])
    // Trino's `$entries`; PyIceberg's `inspect.entries`.
    const none = { column_sizes: [], value_counts: [], null_value_counts: [], nan_value_counts: [] }
    const bounds = { lower_bounds: [], upper_bounds: [] }
    expect(data?.records).toMatchObject([{ data_file: { sort_order_id: 0, ...none, ...bounds } }])
    // Specification, "Data File Fields": position deletes have no order of a table.
    expect(removed?.records).toMatchObject([{ data_file: { sort_order_id: null, ...none, ...bounds } }])
  })

  it('merges manifests when there are more than 100, and no file is lost', async () => {
    const table = createTableWriter()
    let last = await table.commit({ fields, added: [file('0')] })
    const names = ['0']
    for (let index = 1; index <= 101; index++) {
      names.push(String(index))
      last = await table.commit({ operation: 'append', added: [file(String(index))] })
    }
    expect(await manifestsOf(table, last.metadata)).toHaveLength(2)
    expect((await pathsIn(table, last.metadata)).toSorted()).toEqual(names.map(pathOf).toSorted())
    expect(last.metadata.snapshots.at(-1)?.summary['total-records']).toBe('1020')
    const snapshot = findSnapshot(last.metadata)
    const live = snapshot ? await readLiveEntries(table.read, snapshot) : []
    expect(live.map(entry => entry.sequenceNumber).toSorted((a, b) => a - b)).toEqual(
      names.map((_, index) => index + 1),
    )
  })

  it('keeps the statistics of its files, by column', async () => {
    const table = createTableWriter()
    const statistics = {
      bytes: 100,
      values: 10,
      nulls: 1,
      nans: 0,
      lower: serializeValue('string', 'a'),
      upper: serializeValue('string', 'z'),
    }
    const columns = new Map<number, ColumnStatistics>([
      [2, statistics],
      [3, { values: 10 }],
    ])
    const added = dataFile('1', content, 10, { columns })
    const { metadata } = await table.commit({ fields, added: [added] })
    const [live] = await readLiveFiles(table.read, metadata)
    expect(live?.file).toEqual(added)
  })

  it('writes the ids of fields into the headers of its manifests', async () => {
    const table = createTableWriter()
    const { objects } = await table.commit({ fields, added: [file('1')] })
    const headers = await Promise.all(
      objects.slice(0, 2).map(object => decodeAvro(object.content, () => undefined)),
    )
    const [manifest, list] = headers.map(({ header }) => header)
    expect(manifest).toMatchObject({ 'format-version': '2', content: 'data', 'partition-spec': '[]' })
    expect(manifest?.['avro.schema']).toContain('"field-id":134')
    expect(list?.['avro.schema']).toContain('"field-id":517')
    expect(JSON.parse(manifest?.['schema'] ?? '')).toMatchObject({ fields })
  })
})

describe('deletes of positions', () => {
  const deletes = (name: string, target: string, extra = {}) =>
    dataFile(name, content, 1, { content: 'positionDeletes', ...extra, referencedDataFile: pathOf(target) })

  it('belong to the file that they name, and go when they are removed', async () => {
    const table = createTableWriter()
    await table.commit({ fields, added: [file('1'), file('2')] })
    const { metadata } = await table.commit({ operation: 'delete', added: [deletes('d1', '2')] })
    const paired = async (of: Parsed) => (await readLiveFiles(table.read, of)).map(live => live.deletes?.path)
    expect(await paired(metadata)).toEqual([undefined, pathOf('d1')])
    expect(metadata.snapshots.at(-1)?.summary).toMatchObject({
      'added-position-deletes': '1',
      'total-delete-files': '1',
      'total-records': '20',
    })
    const replaced = await table.commit({
      added: [deletes('d2', '2')],
      removedDeletes: new Set([pathOf('d1')]),
    })
    expect(await paired(replaced.metadata)).toEqual([undefined, pathOf('d2')])
    expect(replaced.metadata.snapshots.at(-1)?.summary).toMatchObject({ 'total-delete-files': '1' })
  })

  it('are refused where one file has several, or they are of several files', async () => {
    const table = createTableWriter()
    await table.commit({ fields, added: [file('1'), deletes('d1', '1')] })
    const twice = await table.commit({ added: [deletes('d2', '1')] })
    await expect(readLiveFiles(table.read, twice.metadata)).rejects.toThrow('not in one file of their own')
    const shared = dataFile('d3', content, 1, { content: 'positionDeletes' })
    const { metadata } = await table.commit({ added: [shared], removedDeletes: new Set([pathOf('d2')]) })
    await expect(readLiveFiles(table.read, metadata)).rejects.toThrow('are not of one file')
  })

  it('apply to the only file that the bounds of their paths name', async () => {
    const table = createTableWriter()
    const bound = serializeValue('string', pathOf('1'))
    const columns = new Map([[2147483546, { lower: bound, upper: bound }]])
    const one = dataFile('d', content, 1, { content: 'positionDeletes', columns })
    const { metadata } = await table.commit({ fields, added: [file('1'), file('2'), one] })
    const live = await readLiveFiles(table.read, metadata)
    expect(live.map(({ deletes }) => deletes?.path)).toEqual([one.path, undefined])
  })
})

describe('snapshots', () => {
  it('expire by age, but for the current one and those with a name', async () => {
    const table = createTableWriter()
    await table.commit({ fields, added: [file('1')] })
    await table.commit({ added: [file('2')], removedData: new Set([pathOf('1')]) })
    const { metadata } = await table.commit({ added: [file('3')] })
    const [first, second, third] = metadata.snapshots.map(snapshot => snapshot['snapshot-id'])
    if (!first || !second || !third) throw new Error('three snapshots expected')

    const left = withoutOldSnapshots(metadata, { beforeMs: 1_000_000 })
    expect(left.metadata.snapshots.map(snapshot => snapshot['snapshot-id'])).toEqual([third])
    expect(left.metadata['snapshot-log']).toHaveLength(1)
    expect(parseMetadata(formatMetadata(left.metadata))).toEqual(left.metadata)

    const tagged = {
      ...metadata,
      refs: { ...metadata.refs, first: { 'snapshot-id': first, type: 'tag' as const } },
    }
    const kept = withoutOldSnapshots(tagged, { beforeMs: 1_000_000 })
    expect(kept.expired.map(snapshot => snapshot['snapshot-id'])).toEqual([second])
  })

  it('stay for their time after the next one came, however old they are', async () => {
    const table = createTableWriter()
    await table.commit({ fields, added: [file('1')] }, { timeMs: 1_000 })
    const { metadata } = await table.commit({ added: [file('2')] }, { timeMs: 9_000 })
    expect(withoutOldSnapshots(metadata, { beforeMs: 8_000 }).expired).toEqual([])
    expect(withoutOldSnapshots(metadata, { beforeMs: 9_001 }).expired).toHaveLength(1)
  })

  it('leave behind what no snapshot names any more, and nothing else', async () => {
    const table = createTableWriter()
    const first = await table.commit({ fields, added: [file('1')] })
    await table.commit({ added: [file('2')] })
    const { metadata } = await table.commit({ removedData: new Set([pathOf('1')]) })
    const left = withoutOldSnapshots(metadata, { beforeMs: 3_001 })
    const named = await locationsOf(table.read, left.metadata.snapshots)
    const unnamed = (await locationsOf(table.read, left.expired)).difference(named)
    const lists = left.expired.map(snapshot => snapshot['manifest-list'])
    expect(unnamed).toEqual(new Set([...lists, first.objects[0]?.location, pathOf('1')]))
    expect(await pathsIn(table, left.metadata)).toEqual([pathOf('2')])
  })

  it('expire with a commit, by age and by number', async () => {
    const table = createTableWriter()
    await table.commit({ fields, added: [file('1')] })
    for (const name of ['2', '3', '4']) await table.commit({ added: [file(name)] })
    const byNumber = await table.commit({ added: [file('5')] }, { expire: { beforeMs: 0, keepAtMost: 3 } })
    expect(byNumber.metadata.snapshots).toHaveLength(3)
    const byAge = await table.commit({ added: [file('6')] }, { expire: { beforeMs: 6_001 } })
    expect(byAge.metadata.snapshots).toHaveLength(1)
    expect(await pathsIn(table, byAge.metadata)).toHaveLength(6)
  })
})

describe('a broken object', () => {
  it('is refused: a manifest list or a manifest that is cut', async () => {
    const table = createTableWriter()
    const { metadata, objects } = await table.commit({ fields, added: [file('1')] })
    const [manifest, list] = objects
    if (!manifest || !list) throw new Error('objects expected')
    table.put([{ ...list, content: list.content.subarray(0, list.content.length - 20) }])
    await expect(readLiveFiles(table.read, metadata)).rejects.toThrow('its last bytes are missing')
    table.put([{ ...list, content: Buffer.from('not Avro') }])
    await expect(readLiveFiles(table.read, metadata)).rejects.toThrow(IcebergRefusal)
    table.put([list, { ...manifest, content: manifest.content.subarray(0, 100) }])
    await expect(readLiveFiles(table.read, metadata)).rejects.toThrow(/has 100 bytes instead of/)
    expect(manifest.location.startsWith(TABLE)).toBe(true)
  })
})
