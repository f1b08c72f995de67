import { describe, expect, it } from 'vitest'
import { findTableWithFiles } from '#functions/storage-api/find/find-table.ts'
import { isAliased } from '#lib/storage/tables/aliases/resolve-alias.ts'
import { withStorage } from '#support/storage-service.ts'

const service = await withStorage()
await service.createBucket('main')

const profileOf = (tableId: string, query = '') =>
  service.call('GET', `/v2/storage/tables/${tableId}/profile${query}`)

describe('the profile of a table', () => {
  it('counts distinct and empty values, and shows least, greatest and most frequent ones', async () => {
    const csv = 'id,city,note\n1,Prague,\n2,Brno,x\n3,Prague,\n4,,ěšč\n'
    const tableId = await service.createTable('in.c-main', 'orders', csv)
    const { status, body } = await profileOf(tableId)
    expect(status).toBe(200)
    expect(body).toMatchObject({ rowsCount: 4, profiledRowsCount: 4, columnsCount: 3 })
    expect(body.columns[1]).toEqual({
      name: 'city',
      guessedType: null,
      distinctCount: 3,
      emptyCount: 1,
      min: 'Brno',
      max: 'Prague',
      topValues: [
        { value: 'Prague', count: 2 },
        { value: '', count: 1 },
        { value: 'Brno', count: 1 },
      ],
    })
    expect(body.columns[2]).toMatchObject({ distinctCount: 3, emptyCount: 2, max: 'ěšč' })
  })

  it('is of columns with any names, those of the statements also that it is made with', async () => {
    const names = ['v', 'count', 'profiled', 'file_index', 'file_row', 'file_row_number']
    const csv = `${names.join(',')}\n${names.join(',')}\n${names.join(',')}\n`
    const { status, body } = await profileOf(await service.createTable('in.c-main', 'named', csv))
    expect([status, body.error]).toEqual([200, undefined])
    for (const [index, name] of names.entries())
      expect(body.columns[index]).toMatchObject({
        name,
        distinctCount: 1,
        topValues: [{ value: name, count: 2 }],
      })
  })

  it('reads no more bytes than it may, and says that it is of a sample', async () => {
    const tableId = await service.createTable('in.c-main', 'bounded', 'id\n1\n2\n')
    const table = await findTableWithFiles({ ...service.stores, projectId: 7 }, tableId)
    if (isAliased(table)) throw new Error('It has rows of its own')
    const { snapshot } = table
    const engine = await service.jobServices.tableEngine()
    const bounds = { columns: ['id'], maxRows: 10 }
    expect(await engine.profile(snapshot, { ...bounds, maxBytes: 1 })).toMatchObject({ profiledRowsCount: 0 })
    expect(await engine.profile(snapshot, { ...bounds, maxBytes: 9_000 })).toMatchObject({
      profiledRowsCount: 2,
    })
    expect((await profileOf(tableId)).body.isSample).toBe(false)
  })

  it('is of the columns that are asked for', async () => {
    const tableId = await service.createTable('in.c-main', 'wide', 'a,b\n1,2\n')
    const { body } = await profileOf(tableId, '?columns[]=b')
    expect(body.columns.map(({ name }: { name: string }) => name)).toEqual(['b'])
    expect((await profileOf(tableId, '?columns[]=c')).body.code).toBe(
      'storage.tables.validation.columnNotExists',
    )
  })

  it('counts live rows only, and a table without rows has empty columns', async () => {
    const tableId = await service.createTable('in.c-main', 'deleted', 'id\n1\n2\n3\n', { primaryKey: 'id' })
    await service.call('DELETE', `/v2/storage/tables/${tableId}/rows?whereColumn=id&whereValues[]=2`)
    expect((await profileOf(tableId)).body).toMatchObject({
      profiledRowsCount: 2,
      columns: [{ distinctCount: 2, min: '1', max: '3' }],
    })
    await service.call('DELETE', `/v2/storage/tables/${tableId}/rows?allowTruncate=1`)
    expect((await profileOf(tableId)).body.columns).toEqual([
      { name: 'id', guessedType: null, distinctCount: 0, emptyCount: 0, min: null, max: null, topValues: [] },
    ])
  })

  it('guesses what texts are, and finds the least and the greatest of numbers by their value', async () => {
    const csv = 'id,total,code\n9,99.70,007\n10,496.27,1e3\n-1,,x\n'
    const { body } = await profileOf(await service.createTable('in.c-main', 'guessed', csv))
    expect(body.columns).toMatchObject([
      { guessedType: 'BIGINT', min: '-1', max: '10' },
      { guessedType: 'DOUBLE', min: '99.70', max: '496.27' },
      { guessedType: null, min: '007', max: 'x' },
    ])
    await service.call('POST', '/v2/storage/buckets/in.c-main/tables-definition', {
      name: 'declared',
      columns: [{ name: 'n', definition: { type: 'INTEGER' } }],
    })
    const dataFileId = await service.upload('n\n9\n10\n')
    await service.call('POST', '/v2/storage/tables/in.c-main.declared/import-async', { dataFileId })
    expect((await profileOf('in.c-main.declared')).body.columns).toMatchObject([
      { guessedType: null, min: '9', max: '10' },
    ])
  })

  it('cuts long values', async () => {
    const tableId = await service.createTable('in.c-main', 'long', `a\n${'x'.repeat(5_000)}\n`)
    const { body } = await profileOf(tableId)
    expect(body.columns[0].min).toHaveLength(100)
    expect(body.columns[0].topValues[0].value).toHaveLength(100)
  })
})
