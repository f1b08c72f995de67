import { S3Client } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { createStorageStores } from '#lib/storage/storage-stores.ts'
import type { TableRecord } from '#lib/storage/tables/table-record.ts'
import { updateTable } from '#lib/storage/tables/update-table.ts'
import { withFiles } from '#lib/table-engine/files/snapshot.ts'
import { withStorage } from '#support/storage-service.ts'
import { tablesAtOnce } from '#support/tables-at-once.ts'

const service = await withStorage()

const tableWith = (name: string, files: number): TableRecord => ({
  internalId: 1,
  bucketId: 'in.c-main',
  name,
  displayName: name,
  created: '2026-07-16T00:00:00.000Z',
  lastImportDate: null,
  lastChangeDate: null,
  lastJobId: 1,
  snapshot: {
    fields: [{ id: 2, name: 'a', type: 'string' }],
    lastFieldId: 2,
    primaryKey: [],
    rowsCount: files,
    dataSizeBytes: files,
    files: Array.from({ length: files }, (_, index) => ({
      key: `tables/1/1/part-${index}.parquet`,
      rows: 1,
      bytes: 1,
      statistics: { 2: { bytes: 1, values: 1, nulls: 0, lower: 'a', upper: 'b' } },
      ...(index === 1 && { deletes: { key: 'tables/1/2/deletes-1.parquet', rows: 1, bytes: 1 } }),
    })),
  },
  revision: 1,
})

const tables = () => service.stores.tables
const atOnce = () => tablesAtOnce(tables())
const idOf = ({ bucketId, name }: TableRecord) => `${bucketId}.${name}`
/** As a reader sees it: with the key of its metadata. */
const stored = async (table: TableRecord): Promise<TableRecord> => {
  const found = await tables().get(idOf(table))
  if (!found) throw new Error('the table is not there')
  return found
}

describe('the head of a table', () => {
  it.each([0, 1, 5_000])('names metadata that holds a snapshot of %i files whole', async files => {
    const table = tableWith(`files-${files}`, files)
    expect(await atOnce().insert(table)).toBe(true)
    const { metadataKey, ...found } = await stored(table)
    expect(found).toEqual(table)
    expect(metadataKey).toMatch(/^tables\/\d+\/metadata\/00000-[0-9a-f-]{36}\.metadata\.json$/)
    const { files: _, ...snapshot } = table.snapshot
    expect(await tables().getHead(idOf(table))).toMatchObject({ snapshot, metadataKey })
  })

  it('is replaced by only one of many writers that read the same state', async () => {
    await atOnce().insert(tableWith('race', 300))
    const table = await stored(tableWith('race', 300))
    const moves = await Promise.all(Array.from({ length: 10 }, () => atOnce().replace(table)))
    expect(moves.filter(Boolean)).toHaveLength(1)
    expect((await stored(table)).revision).toBe(2)
  })

  it('names the files of its rows and of their deletes, which the sweep then leaves alone', async () => {
    await atOnce().insert({ ...tableWith('named', 2), internalId: 5, bucketId: 'in.c-named' })
    const keys: string[] = []
    for await (const key of tables().namedKeys('in.c-named')) keys.push(key)
    const metadata = keys.filter(key => key.startsWith('tables/5/metadata/'))
    expect(keys.filter(key => !metadata.includes(key)).toSorted()).toEqual([
      'tables/1/1/part-0.parquet',
      'tables/1/1/part-1.parquet',
      'tables/1/2/deletes-1.parquet',
    ])
    // The metadata file, the manifest list, and a manifest each of rows and of deletes.
    expect(metadata).toHaveLength(4)
  })

  it('is not replaced when it belongs to a new table of that name', async () => {
    const table = tableWith('other', 1)
    await atOnce().insert({ ...table, internalId: 2 })
    expect(await atOnce().replace(table)).toBe(false)
    expect(await atOnce().delete(table)).toBe(false)
  })

  it('keeps its metadata when its name changes, and moves to new metadata when its content does', async () => {
    await atOnce().insert(tableWith('renamed', 2))
    const before = await stored(tableWith('renamed', 2))
    expect(await atOnce().rename(before, 'Renamed')).toBe(true)
    expect(await atOnce().rename(before, 'Too late')).toBe(false)
    const renamed = await stored(before)
    expect(renamed).toEqual({ ...before, displayName: 'Renamed', revision: 2 })

    const [first] = before.snapshot.files
    if (!first) throw new Error('files expected')
    const deletes = { key: 'tables/1/3/deletes.parquet', rows: 1, bytes: 7 }
    const changed = { ...renamed, snapshot: withFiles(renamed.snapshot, [{ ...first, deletes }]) }
    expect(await atOnce().replace(changed)).toBe(true)
    const after = await stored(before)
    expect(after.snapshot).toEqual(changed.snapshot)
    expect(after.metadataKey).toContain('/metadata/00001-')
  })
})

it('a new display name brings no expired snapshots back', async () => {
  const table = { ...tableWith('expiring', 1), internalId: 6, bucketId: 'in.c-expiring' }
  await atOnce().insert(table)
  const added = { key: 'tables/6/2/part.parquet', rows: 1, bytes: 1 }
  const { snapshot, ...head } = await stored(table)
  await atOnce().replace({ ...head, snapshot: withFiles(snapshot, [...snapshot.files, added]) })

  const later = new Date(Date.now() + 90 * 86_400_000)
  let isExpired = false
  const get: typeof service.items.get = async key => {
    const item = await service.items.get(key)
    if (!isExpired) {
      isExpired = true
      expect(await tables().expireSnapshots(table.bucketId, later)).toBe(1)
    }
    return item
  }
  const { s3, tablesBucket } = service
  const raced = createStorageStores({
    items: { ...service.items, get },
    s3,
    tablesBucket,
    now: () => new Date(),
  }).tables
  const before = await stored(table)
  expect(await tablesAtOnce(raced).rename(before, 'Renamed')).toBe(false)

  const expired = await stored(table)
  expect(expired.metadataKey).not.toBe(before.metadataKey)
  await updateTable(idOf(table), { displayName: 'Renamed' }, { tables: raced, projectId: 1 })
  expect(await stored(table)).toEqual({ ...expired, displayName: 'Renamed', revision: expired.revision + 1 })
})

it('a function that may not write below tables/, as the API, renames a table of 1,000 files', async () => {
  const table = tableWith('large', 1_000)
  await atOnce().insert(table)
  const { endpoint, region, credentials, forcePathStyle } = service.s3.config
  const s3 = new S3Client({ region, credentials, forcePathStyle, ...(endpoint && { endpoint }) })
  s3.middlewareStack.add(
    (next, { commandName }) =>
      async args => {
        if (commandName !== 'GetObjectCommand') throw new Error(`AccessDenied: ${commandName}`)
        return next(args)
      },
    { step: 'initialize' },
  )
  const items = service.items
  const ofApi = createStorageStores({
    items,
    s3,
    tablesBucket: service.tablesBucket,
    now: () => new Date(),
  }).tables
  const before = await stored(table)
  expect(
    await updateTable(idOf(table), { displayName: 'Huge' }, { tables: ofApi, projectId: 1 }),
  ).toMatchObject({ displayName: 'Huge' })
  expect(await stored(table)).toEqual({ ...before, displayName: 'Huge', revision: 2 })
  const added = { key: 'tables/1/9/part.parquet', rows: 1, bytes: 1 }
  const grown = withFiles(before.snapshot, [...before.snapshot.files, added])
  await expect(tablesAtOnce(ofApi).replace({ ...before, revision: 2, snapshot: grown })).rejects.toThrow(
    'PutObject',
  )
  s3.destroy()
})
