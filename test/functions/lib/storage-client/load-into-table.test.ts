import { beforeEach, expect, it } from 'vitest'
import {
  isTableMadeMeanwhile,
  keyAfter,
  type LoadOptions,
  loadIntoTable,
  type TableLoad,
} from '#lib/storage-client/load-into-table.ts'
import { createStorageClient } from '#lib/storage-client/storage-client.ts'
import { json, startScriptedServer } from '#support/scripted-server.ts'
import { untilEnd } from '#support/until-end.ts'

const server = await untilEnd(startScriptedServer())
const storage = createStorageClient({ baseUrl: server.url, token: 'a-token', timeoutSeconds: 300 })
beforeEach(() => {
  server.received.length = 0
})

const job = { id: 12, status: 'waiting', url: 'http://127.0.0.1/v2/storage/jobs/12', operationParams: {} }
const accepted = json(202, job)
const isThere = json(200, { id: 'in.c-main.orders', columns: ['id'], primaryKey: ['id'] })
const isNotThere = json(404, { error: 'It is not there.', code: 'storage.tables.notFound' })
const tableExists = json(400, { error: 'It exists.', code: 'storage.buckets.tableAlreadyExists' })
const bucketExists = json(400, { error: 'It exists.', code: 'storage.buckets.alreadyExists' })

const load = (changes: Partial<TableLoad> = {}, options: Partial<LoadOptions> = {}) =>
  loadIntoTable(
    storage,
    { tableId: 'in.c-main.orders', dataFileId: 5, incremental: true, primaryKey: ['id'], ...changes },
    { idempotencyKey: 'once', ...options },
  )

const requests = () =>
  server.received.map(({ method, url }) => `${method} ${url.replace('/v2/storage/', '')}`)
const last = () => {
  const request = server.received.at(-1)
  return { key: request?.headers['idempotency-key'], body: JSON.parse(request?.body ?? '') }
}

it('imports into a table that exists, and names the key it should have', async () => {
  server.replyWith(accepted)
  expect(await load()).toMatchObject({ job: { id: 12 }, warnings: [] })
  expect(requests()).toEqual(['POST tables/in.c-main.orders/import-async'])
  expect(last()).toEqual({
    key: 'once',
    body: { dataFileId: 5, primaryKey: 'id', incremental: 1, missingColumns: 'empty' },
  })
})

it.each([
  ['is there', [isThere]],
  ['is created', [isNotThere, json(201, {})]],
  ['is created by somebody else at the same moment', [isNotThere, bucketExists]],
])('creates a table that does not exist in a bucket that %s', async (_, bucketReplies) => {
  server.replyWith(isNotThere, isNotThere, ...bucketReplies, accepted)
  await load({ columns: ['id'], delimiter: ';' })
  expect(requests().at(-1)).toBe('POST buckets/in.c-main/tables-async')
  expect(last()).toEqual({
    key: 'once',
    body: { name: 'orders', dataFileId: 5, columns: ['id'], delimiter: ';', primaryKey: 'id' },
  })
})

it('creates nothing when it is the file that is missing', async () => {
  const isMissing = json(404, { error: 'It is not there.', code: 'storage.files.notFound' })
  server.replyWith(isMissing, isThere, isMissing)
  await expect(load()).rejects.toMatchObject({ code: 'storage.files.notFound' })
  expect(requests()).toEqual([
    'POST tables/in.c-main.orders/import-async',
    'GET tables/in.c-main.orders',
    'POST tables/in.c-main.orders/import-async',
  ])
})

it('imports into a table that somebody else has created since it was not found', async () => {
  server.replyWith(isNotThere, isThere, accepted)
  expect(await load()).toMatchObject({ job: { id: 12 } })
  expect(requests().at(-1)).toBe('POST tables/in.c-main.orders/import-async')
})

it('imports into a table that somebody else created at the same moment', async () => {
  server.replyWith(isNotThere, isNotThere, isThere, tableExists, accepted)
  await load()
  expect(requests().at(-1)).toBe('POST tables/in.c-main.orders/import-async')
  expect(last()).toMatchObject({ key: 'once', body: { dataFileId: 5, incremental: 1 } })
})

it('passes on what else is wrong with the new table', async () => {
  server.replyWith(isNotThere, isNotThere, isThere, json(403, { error: 'No.', code: 'accessDenied' }))
  await expect(load()).rejects.toMatchObject({ code: 'accessDenied' })
})

it.each([
  ['refuses an incremental load', { incremental: true }, 'refused'],
  ['warns of a full load', { incremental: false }, 'warned'],
])('%s by another key than the table has, when asked to look first', async (_, changes, outcome) => {
  server.replyWith(isThere, ...(outcome === 'warned' ? [accepted] : []))
  const loading = load({ ...changes, primaryKey: ['name'] }, { checksKeyFirst: true })
  if (outcome === 'warned')
    expect((await loading).warnings).toEqual([expect.stringContaining('has the primary key "id"')])
  else await expect(loading).rejects.toMatchObject({ code: 'storage.tables.primaryKeyDiffers' })
})

it('tells a job that came second from one that failed for another reason', () => {
  const failed = (code: string) => ({ ...job, status: 'error', error: { code, message: 'No.' } }) as const
  expect(isTableMadeMeanwhile(failed('storage.buckets.tableAlreadyExists'))).toBe(true)
  expect(isTableMadeMeanwhile(failed('invalidCsv'))).toBe(false)
  expect(keyAfter('once', { id: 12 })).not.toBe('once')
})

it('asks for the creation first when an earlier call may have got through, and gets its job', async () => {
  server.replyWith(accepted)
  expect(await load({}, { isRepeated: true })).toMatchObject({ job: { id: 12 } })
  expect(requests()).toEqual(['POST buckets/in.c-main/tables-async'])
  expect(last().key).toBe('once')
})

it.each([
  ['the table is there and the earlier call did not create it', tableExists],
  ['its bucket is not there', json(404, { error: 'It is not there.', code: 'storage.buckets.notFound' })],
])('imports again under the same key when %s', async (_, refusal) => {
  server.replyWith(refusal, accepted)
  await load({}, { isRepeated: true })
  expect(requests()).toEqual([
    'POST buckets/in.c-main/tables-async',
    'POST tables/in.c-main.orders/import-async',
  ])
  expect(last().key).toBe('once')
})

it('asks a service that knows it for one job, whether the table is there or not, also again', async () => {
  const asked = {
    key: 'once',
    body: {
      name: 'orders',
      dataFileId: 5,
      primaryKey: 'id',
      incremental: 1,
      ifExists: 'load',
      missingColumns: 'empty',
    },
  }
  server.replyWith(accepted, isNotThere, isNotThere, json(201, {}), accepted)
  expect(await load({}, { hasIfExists: true })).toMatchObject({ job: { id: 12 }, warnings: [] })
  expect(requests()).toEqual(['POST buckets/in.c-main/tables-async'])
  expect(last()).toEqual(asked)
  server.received.length = 0
  await load({}, { hasIfExists: true, isRepeated: true })
  expect(requests()).toEqual([
    'POST buckets/in.c-main/tables-async',
    'GET buckets/in.c-main',
    'POST buckets',
    'POST buckets/in.c-main/tables-async',
  ])
  expect(last()).toEqual(asked)
})

it('asks such a service no more when the file is missing', async () => {
  server.replyWith(isNotThere, isThere, isNotThere)
  await expect(load({}, { hasIfExists: true })).rejects.toMatchObject({ status: 404 })
})
