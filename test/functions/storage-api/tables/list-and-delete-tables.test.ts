import { describe, expect, it } from 'vitest'
import { startTableRoutes } from '#support/table-routes.ts'

const { service, bucketId, newName, rowsOf } = await startTableRoutes()

describe('GET tables', () => {
  it('lists a table without any metadata with empty ones', async () => {
    const tableId = await service.createTable(bucketId, newName(), 'a\n1\n')
    const find = async (query: string) =>
      (await service.call('GET', `/v2/storage/tables${query}`)).body.find(
        (table: { id: string }) => table.id === tableId,
      )
    expect(await find('?include=metadata,columnMetadata,attributes')).toMatchObject({
      metadata: [],
      columnMetadata: {},
      attributes: [],
    })
  })

  it('lists the tables of one bucket', async () => {
    const own = await service.createBucket('own')
    await service.createTable(own, 'b', 'a\n')
    await service.createTable(own, 'a', 'a\n')
    const { body } = await service.call('GET', `/v2/storage/buckets/${own}/tables`)
    expect(body.map((table: { id: string }) => table.id)).toEqual([`${own}.a`, `${own}.b`])
    expect((await service.call('GET', '/v2/storage/buckets/in.c-no/tables')).status).toBe(404)
  })

  it.each(['in.c-main', 'in.c-main.', 'nothing', `in.c-main.${'x'.repeat(3_000)}`, 'in.c-main.a.b'])(
    'answers 404 for %s',
    async id => {
      const { status, body } = await service.call('GET', `/v2/storage/tables/${id}`)
      expect([status, body.code]).toEqual([404, 'storage.tables.notFound'])
    },
  )
})

describe('DELETE tables/{id}', () => {
  it.each([
    ['in.c-nothing.a', 'storage.buckets.notFound'],
    ['in.c-main.nothing', 'storage.tables.notFound'],
  ])('of %s says what is not there', async (id, code) => {
    for (const query of ['', '?async=1']) {
      const { status, body } = await service.call('DELETE', `/v2/storage/tables/${id}${query}`)
      expect([status, body.code]).toEqual([404, code])
    }
  })

  it('deletes at once: one client does not wait for jobs', async () => {
    const tableId = await service.createTable(bucketId, newName(), 'a\n1\n')
    expect((await service.call('DELETE', `/v2/storage/tables/${tableId}?force=1`)).status).toBe(204)
    expect((await service.call('DELETE', `/v2/storage/tables/${tableId}`)).body.code).toBe(
      'storage.tables.notFound',
    )
  })

  it('deletes by a job with async', async () => {
    const tableId = await service.createTable(bucketId, newName(), 'a\n1\n')
    const { status, body } = await service.call('DELETE', `/v2/storage/tables/${tableId}?async=1`)
    expect([status, body.operationName, body.status, body.tableId]).toEqual([
      202,
      'tableDrop',
      'success',
      tableId,
    ])
    expect((await service.call('GET', `/v2/storage/tables/${tableId}`)).status).toBe(404)
  })

  it('leaves the name to a new table, which has nothing of the old one', async () => {
    const name = newName()
    const tableId = await service.createTable(bucketId, name, 'a\n1\n')
    expect((await service.call('DELETE', `/v2/storage/tables/${tableId}`)).status).toBe(204)
    await service.createTable(bucketId, name, 'b\n2\n')
    expect(await rowsOf(tableId)).toEqual(['"2"'])
  })
})
