import { expect, it } from 'vitest'
import { withStorage } from '#support/storage-service.ts'

const service = await withStorage()
const { call } = service
let buckets = 0
const newBucket = () => service.createBucket(`bucket${++buckets}`)

const load = async (bucketId: string, content: string, more: object = {}, headers = {}, branch = '') => {
  const dataFileId = await service.upload(content)
  const body = { name: 'orders', dataFileId, ifExists: 'load', primaryKey: 'id', ...more }
  return call('POST', `/v2/storage/${branch}buckets/${bucketId}/tables-async`, body, headers)
}

const rowsOf = async (bucketId: string, branch = ''): Promise<string[]> => {
  const { text } = await call('GET', `/v2/storage/${branch}tables/${bucketId}.orders/data-preview`)
  return text.trim().split('\n').slice(1).toSorted()
}

it('is said in the index, so that a client need not try', async () => {
  const { body } = await call('GET', '/v2/storage?exclude=components')
  expect(body.features).toContain('tables-async-if-exists')
})

it('one job creates the table or loads into it, adding rows or replacing them', async () => {
  const bucketId = await newBucket()
  const created = await load(bucketId, 'id,v\n1,a\n')
  expect(created.body).toMatchObject({
    operationName: 'tableImport',
    status: 'success',
    results: { importedRowsCount: 1, totalRowsCount: 1, warnings: [] },
  })
  const { body: table } = await call('GET', `/v2/storage/tables/${bucketId}.orders`)
  expect(table).toMatchObject({ name: 'orders', displayName: 'orders', primaryKey: ['id'] })
  expect((await load(bucketId, 'id,v\n1,b\n2,c\n', { incremental: 1 })).body).toMatchObject({
    status: 'success',
    results: { importedRowsCount: 2, totalRowsCount: 2 },
  })
  expect(await rowsOf(bucketId)).toEqual(['"1","b"', '"2","c"'])
  await load(bucketId, 'id,v\n9,z\n')
  expect(await rowsOf(bucketId)).toEqual(['"9","z"'])
})

it('a burst into a new table makes no failed job, and has every row once', async () => {
  const bucketId = await newBucket()
  const jobs = await Promise.all(
    Array.from({ length: 24 }, (_, n) => load(bucketId, `id,v\n${n},a\n`, { incremental: 1 })),
  )
  await service.jobsEnded()
  for (const { body } of jobs)
    expect((await call('GET', `/v2/storage/jobs/${body.id}`)).body).toMatchObject({ status: 'success' })
  expect(await rowsOf(bucketId)).toEqual(Array.from({ length: 24 }, (_, n) => `"${n}","a"`).toSorted())
})

it('the same request again is the same job', async () => {
  const bucketId = await newBucket()
  const dataFileId = await service.upload('id\n1\n')
  const body = { name: 'orders', dataFileId, ifExists: 'load', incremental: 1 }
  const ask = () =>
    call('POST', `/v2/storage/buckets/${bucketId}/tables-async`, body, { 'Idempotency-Key': bucketId })
  const [first, again] = [await ask(), await ask()]
  expect(again.body.id).toBe(first.body.id)
  expect(await rowsOf(bucketId)).toEqual(['"1"'])
})

it('a branch gets the table, the default branch does not', async () => {
  const bucketId = await newBucket()
  const { body: made } = await call('POST', '/v2/storage/dev-branches', { name: `branch of ${bucketId}` })
  const branch = `branch/${made.results.id}/`
  expect((await load(bucketId, 'id\n1\n', {}, {}, branch)).body.status).toBe('success')
  expect(await rowsOf(bucketId, branch)).toEqual(['"1"'])
  expect((await call('GET', `/v2/storage/tables/${bucketId}.orders`)).status).toBe(404)
})

it('says what is wrong: a file that does not load, a table of a snapshot, another word, and a table that is there by default', async () => {
  const bucketId = await newBucket()
  expect((await load(bucketId, 'id,id\n1,2\n')).body).toMatchObject({ status: 'error' })
  expect((await call('GET', `/v2/storage/tables/${bucketId}.orders`)).status).toBe(404)
  expect(await load(bucketId, 'id\n1\n', { ifExists: 'merge' })).toMatchObject({ status: 400 })
  const ofTable = { dataFileId: undefined, sourceTableId: 'in.c-main.x' }
  expect(await load(bucketId, 'id\n1\n', ofTable)).toMatchObject({
    status: 400,
    body: { error: '"ifExists" is for tables of a file.' },
  })
  await load(bucketId, 'id\n1\n')
  expect(await load(bucketId, 'id\n1\n', { ifExists: undefined })).toMatchObject({
    status: 400,
    body: { code: 'storage.buckets.tableAlreadyExists' },
  })
})
