import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TableRecord } from '#lib/storage/tables/table-record.ts'
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
    columns: ['a'],
    primaryKey: [],
    rowsCount: files,
    dataSizeBytes: files,
    files: Array.from({ length: files }, (_, index) => ({
      key: `tables/1/1/part-${index}.parquet`,
      rows: 1,
      bytes: 1,
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
