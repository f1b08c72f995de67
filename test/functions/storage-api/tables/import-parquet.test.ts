import { expect, it } from 'vitest'
import { startTableRoutes } from '#support/table-routes.ts'

const { service, bucketId, newName, create, load, rowsOf } = await startTableRoutes()

const done = async (method: string, path: string, body?: unknown) => {
  const { body: job } = await service.call(method, `/v2/storage${path}`, body)
  expect(job).toMatchObject({ status: 'success' })
  return job.results
}

/** An export of a table, which is a sliced file. */
const exportParquet = async (tableId: string): Promise<number> =>
  (await done('POST', `/tables/${tableId}/export-async`, { fileType: 'parquet' })).file.id

const texts = 'id,Note\n1,"a ""b""\nc"\n2,\n3,ž\n'
const values =
  'id,price,rate,ok,day,at,seen,note\n1,1.5,0.1,true,2026-01-31,2026-01-31 10:00:00.123456,2026-01-31 10:00:00+02:00,ž\n2,,,,,,,\n'
const definition = {
  primaryKeysNames: ['id'],
  columns: [
    { name: 'id', definition: { type: 'INTEGER', nullable: false } },
    { name: 'price', definition: { type: 'DECIMAL', length: '6,3' } },
    { name: 'rate', basetype: 'FLOAT' },
    { name: 'ok', basetype: 'BOOLEAN' },
    { name: 'day', basetype: 'DATE' },
    { name: 'at', basetype: 'TIMESTAMP' },
    { name: 'seen', definition: { type: 'TIMESTAMP_TZ' } },
    { name: 'note', basetype: 'STRING' },
  ],
}

const typedTable = async (): Promise<string> =>
  (await done('POST', `/buckets/${bucketId}/tables-definition`, { name: newName(), ...definition })).id

it('loads what an export wrote as Parquet, cell by cell: a table of texts', async () => {
  const tableId = await service.createTable(bucketId, newName(), texts)
  const { body: made } = await create({ name: newName(), dataFileId: await exportParquet(tableId) })
  expect(made).toMatchObject({ status: 'success', results: { rowsCount: 3, columns: ['id', 'Note'] } })
  expect(await rowsOf(made.results.id)).toEqual(await rowsOf(tableId))
  const { body: again } = await load(tableId, {
    dataFileId: await exportParquet(made.results.id),
    incremental: 1,
  })
  expect(again.results).toMatchObject({ totalRowsCount: 6, importedColumns: ['id', 'Note'], warnings: [] })
})

it('loads what an export wrote as Parquet, cell by cell: a typed table, and one that is made of it', async () => {
  const tableId = await typedTable()
  await load(tableId, { dataFileId: await service.upload(values), incremental: 1 })
  const dataFileId = await exportParquet(tableId)
  const other = await typedTable()
  expect((await load(other, { dataFileId, incremental: 1 })).body).toMatchObject({ status: 'success' })
  const { body: made } = await create({ name: newName(), dataFileId })
  const csvOf = async (id: string) =>
    (await service.call('GET', `/v2/storage/tables/${id}/data-preview`)).text
  expect(await csvOf(other)).toBe(await csvOf(tableId))
  expect(await csvOf(made.results.id)).toBe(await csvOf(tableId))
})

it('says row and column of what a typed table cannot hold, and loads nothing', async () => {
  const from = await service.createTable(bucketId, newName(), values.replace('1,1.5', '1,12345.5'))
  const into = await typedTable()
  const { body: job } = await load(into, { dataFileId: await exportParquet(from), incremental: 1 })
  expect(job).toMatchObject({
    status: 'error',
    error: { message: expect.stringContaining(`In slice 1 of 1, row 1, column "price"`) },
  })
  expect((await service.call('GET', `/v2/storage/tables/${into}`)).body.rowsCount).toBe(0)
})
