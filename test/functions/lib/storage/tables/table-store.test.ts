import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TableRecord } from '#lib/storage/tables/table-record.ts'
import type { Snapshot } from '#lib/table-engine/snapshot.ts'
import { type StorageService, startStorageService } from '#support/storage-service.ts'

let service: StorageService
beforeAll(async () => {
  service = await startStorageService()
})
afterAll(() => service.close())

const tableWith = (name: string, files: number): TableRecord => ({
  internalId: 1,
  bucketId: 'in.c-main',
  name,
  displayName: name,
  created: '2026-07-16T00:00:00.000Z',
  lastImportDate: null,
  lastChangeDate: null,
  lastLoad: {
    jobId: 1,
    importedColumns: [],
    importedRowsCount: 0,
    warnings: [],
    inBytes: 0,
    isCompressed: false,
    durationSeconds: 0,
  },
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
      hasFieldIds: true,
      statistics: { 2: { bytes: 1, values: 1, nulls: 0, lower: 'a', upper: 'b' } },
      ...(index === 1 && { deletes: { key: 'tables/1/2/deletes-1.parquet', rows: 1, bytes: 1 } }),
    })),
  },
  revision: 1,
})

describe('the head of a table', () => {
  it.each([0, 200, 201, 20_000])('keeps a snapshot of %i files whole', async files => {
    const table = tableWith(`files-${files}`, files)
    expect(await service.stores.tables.insert(table)).toBe(true)
    expect(await service.stores.tables.get(`in.c-main.files-${files}`)).toEqual(table)
  })

  it.each([1, 1_000])('of version 0.1 gets ids for its columns, with %i files', async files => {
    const { snapshot, ...table } = tableWith(`old-${files}`, files)
    const old = snapshot.files.map(({ key, rows, bytes }) => ({ key, rows, bytes }))
    const { primaryKey, rowsCount, dataSizeBytes } = snapshot
    const content = { columns: ['a', 'b'], primaryKey, rowsCount, dataSizeBytes, files: old }
    // The store writes what it is given: here a record as version 0.1 wrote it.
    await service.stores.tables.insert({ ...table, snapshot: content as unknown as Snapshot })
    expect((await service.stores.tables.get(`in.c-main.old-${files}`))?.snapshot).toEqual({
      fields: [
        { id: 2, name: 'a', type: 'string' },
        { id: 3, name: 'b', type: 'string' },
      ],
      lastFieldId: 3,
      lastNameMappedId: 3,
      primaryKey,
      rowsCount,
      dataSizeBytes,
      files: old.map(file => ({ ...file, hasFieldIds: false })),
    })
  })

  it('names the files of its rows and of their deletes, which the sweep then leaves alone', async () => {
    await service.stores.tables.insert({ ...tableWith('named', 2), bucketId: 'in.c-named' })
    const keys: string[] = []
    for await (const key of service.stores.tables.namedKeys('in.c-named')) keys.push(key)
    expect(keys).toEqual([
      'tables/1/1/part-0.parquet',
      'tables/1/1/part-1.parquet',
      'tables/1/2/deletes-1.parquet',
    ])
  })

  it('is replaced by only one of many writers that read the same state', async () => {
    const table = tableWith('race', 300)
    await service.stores.tables.insert(table)
    const moves = await Promise.all(Array.from({ length: 10 }, () => service.stores.tables.replace(table)))
    expect(moves.filter(Boolean)).toHaveLength(1)
    expect((await service.stores.tables.get('in.c-main.race'))?.revision).toBe(2)
  })

  it('is not replaced when it belongs to a new table of that name', async () => {
    const table = tableWith('other', 1)
    await service.stores.tables.insert({ ...table, internalId: 2 })
    expect(await service.stores.tables.replace(table)).toBe(false)
    expect(await service.stores.tables.delete(table)).toBe(false)
  })
})
