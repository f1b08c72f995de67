import { beforeEach, describe, expect, it } from 'vitest'
import { TransientError, UserError } from '#lib/errors/errors.ts'
import { createStorageClient } from '#lib/storage-client/storage-client.ts'
import { halfABody, json, noContent, reset, startScriptedServer } from '#support/scripted-server.ts'
import { untilEnd } from '#support/until-end.ts'

const TOKEN = '1-1-a-very-secret-token'
const job = { id: 12, status: 'waiting', url: 'http://127.0.0.1/v2/storage/jobs/12', operationParams: {} }

const server = await untilEnd(startScriptedServer())
const client = createStorageClient({ baseUrl: `${server.url}/`, token: TOKEN, timeoutSeconds: 300 })
beforeEach(() => {
  server.received.length = 0
})

describe('requests', () => {
  it('a prepared file asks for credentials and encryption', async () => {
    const credentials = {
      AccessKeyId: 'a',
      SecretAccessKey: 'b',
      SessionToken: 'c',
      Expiration: '2026-01-01T00:00:00+0000',
    }
    const prepared = {
      id: 5,
      name: 'orders.csv',
      region: 'eu-central-1',
      isSliced: false,
      uploadParams: { bucket: 'files', key: 'exp-15/1/files/5.orders.csv', acl: 'private', credentials },
    }
    server.replyWith(json(201, prepared))
    expect(await client.prepareFile({ name: 'orders.csv', sizeBytes: 3, tags: ['t'] })).toMatchObject({
      id: 5,
    })
    expect(server.received[0]).toMatchObject({ method: 'POST', url: '/v2/storage/files/prepare' })
    expect(server.received[0]?.headers['x-storageapi-token']).toBe(TOKEN)
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({
      name: 'orders.csv',
      sizeBytes: 3,
      tags: ['t'],
      federationToken: 1,
      isEncrypted: true,
    })
  })

  it('a new table sends its primary key as a comma list, under an idempotency key', async () => {
    server.replyWith(json(202, job))
    const creation = { bucketId: 'in.c-main', name: 'orders', dataFileId: 5, primaryKey: ['id', 'region'] }
    expect(await client.createTable(creation, 'key-1')).toMatchObject({ id: 12, status: 'waiting' })
    expect(server.received[0]?.url).toBe('/v2/storage/buckets/in.c-main/tables-async')
    expect(server.received[0]?.headers['idempotency-key']).toBe('key-1')
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({
      name: 'orders',
      dataFileId: 5,
      primaryKey: 'id,region',
    })
  })

  it('all configurations are read in the parts that the service makes of them', async () => {
    const part = (...ids: string[]) =>
      ids.map(id => ({ id, name: id, version: 1, isDisabled: false, configuration: {}, state: {} }))
    const link = { Link: `<${server.url}/v2/storage/components/c/configs?offset=2>; rel="next"` }
    const read = async () => {
      server.received.length = 0
      const ids = await Array.fromAsync(client.configurations('c'), ({ id }) => id)
      return [ids, server.received.map(({ url }) => url.split('configs')[1])]
    }
    server.replyWith(json(200, part('a', 'b'), link), json(200, part('c')))
    expect(await read()).toEqual([
      ['a', 'b', 'c'],
      ['', '?sinceId=b'],
    ])
    // One that does not know where to go on, and says that there is more.
    server.replyWith(json(200, part('a', 'b'), link))
    expect((await read())[1]).toEqual(['', '?sinceId=b'])
  })

  it('an import names the key that it expects, if it expects one', async () => {
    for (const primaryKey of [['id', 'region'], []]) {
      server.replyWith(json(202, job))
      await client.importTable(
        { tableId: 'in.c-main.orders', dataFileId: 5, incremental: true, primaryKey },
        'k',
      )
    }
    const bodies = server.received.map(({ body }) => JSON.parse(body))
    expect(bodies).toEqual([
      { dataFileId: 5, incremental: 1, primaryKey: 'id,region' },
      { dataFileId: 5, incremental: 1 },
    ])
  })

  it('an import says whether it is incremental', async () => {
    server.replyWith(json(202, job))
    await client.importTable(
      { tableId: 'in.c-main.orders', dataFileId: 5, incremental: true, delimiter: ';' },
      'key-2',
    )
    expect(server.received[0]?.url).toBe('/v2/storage/tables/in.c-main.orders/import-async')
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({
      dataFileId: 5,
      delimiter: ';',
      incremental: 1,
    })
  })

  it('a bucket is created by stage and name', async () => {
    server.replyWith(json(201, { id: 'in.c-main' }))
    await client.createBucket('in.c-main')
    expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({ stage: 'in', name: 'main' })
  })

  it('the job of a file is found among jobs of every kind', async () => {
    const others = [
      { id: 30, status: 'terminated', what: 'never seen' },
      { ...job, id: 29, operationParams: { source: { fileId: 4, type: 'file' } } },
      { ...job, id: 28, operationParams: { source: { fileId: '5', type: 'file' } } },
    ]
    const file = json(200, { id: 5, created: '2026-07-16T10:00:00+0000' })
    server.replyWith(file, json(200, others))
    expect((await client.findJobOfFile(5))?.id).toBe(28)
    server.replyWith(file, json(200, others))
    expect(await client.findJobOfFile(6)).toBeUndefined()
  })

  it('the job of a file is found behind any number of others, and nobody looks before the file was made', async () => {
    const others = (createdTime: string) =>
      json(
        200,
        Array.from({ length: 100 }, (_, index) => ({ ...job, id: 1000 - index, createdTime })),
      )
    const file = json(200, { id: 5, created: '2026-07-16T10:00:00+0000' })
    const own = { ...job, id: 28, createdTime: '2026-07-16T10:00:01+0000' }
    const later = others('2026-07-16T10:00:02+0000')
    server.replyWith(
      file,
      later,
      later,
      json(200, [{ ...own, operationParams: { source: { fileId: 5, type: 'file' } } }]),
    )
    expect((await client.findJobOfFile(5))?.id).toBe(28)
    server.received.length = 0
    server.replyWith(file, later, others('2026-07-16T09:59:59+0000'))
    expect(await client.findJobOfFile(5)).toBeUndefined()
    expect(server.received.map(({ url }) => url)).toEqual([
      '/v2/storage/files/5',
      '/v2/storage/jobs?limit=100&offset=0',
      '/v2/storage/jobs?limit=100&offset=100',
    ])
  })

  it('the job of a file is looked for where a page without jobs says that the list goes on, whatever its host', async () => {
    server.replyWith(
      json(200, { id: 5, created: '2026-07-16T10:00:00+0000' }),
      json(200, [], { link: '<https://elsewhere.test/x?limit=100&maxId=77>; rel="next"' }),
      json(200, [{ ...job, id: 28, operationParams: { source: { fileId: 5, type: 'file' } } }]),
    )
    server.received.length = 0
    expect((await client.findJobOfFile(5))?.id).toBe(28)
    expect(server.received.at(-1)?.url).toBe('/v2/storage/jobs?limit=100&maxId=77')
  })
})

describe('replies that are fine', () => {
  it.each([
    [200, true],
    [404, false],
  ])('a table answered with %i exists: %s', async (status, expected) => {
    server.replyWith(json(status, status === 200 ? {} : { error: 'no', code: 'storage.tables.notFound' }))
    expect(await client.hasTable('in.c-main.orders')).toBe(expected)
  })

  it('a bucket that already exists', async () => {
    server.replyWith(json(400, { error: 'exists', code: 'storage.buckets.alreadyExists' }))
    await expect(client.createBucket('in.c-main')).resolves.toBeUndefined()
  })

  it('a file that was deleted already, and one that is deleted now', async () => {
    server.replyWith(json(404, { error: 'File not found', code: 'storage.files.notFound' }), noContent)
    await expect(client.deleteFile(5)).resolves.toBeUndefined()
    await expect(client.deleteFile(5)).resolves.toBeUndefined()
  })

  it('a failed job whose error is plain text', async () => {
    server.replyWith(json(200, { ...job, status: 'error', error: 'broken' }))
    expect(await client.job(12)).toMatchObject({ status: 'error', error: { message: 'broken' } })
  })
})

describe('replies that are not', () => {
  it.each([400, 401, 403, 404, 422])(
    '%i is the caller’s mistake, with the service’s words and code',
    async status => {
      server.replyWith(
        json(status, { error: 'No such thing', code: 'storage.jobs.notFound', exceptionId: 'e-1' }),
      )
      const error = await client.job(12).catch((error: unknown) => error)
      expect(error).toBeInstanceOf(UserError)
      expect(error).toMatchObject({ code: 'storage.jobs.notFound', message: 'No such thing', status })
    },
  )

  it.each([429, 500, 502, 503])('%i is a TransientError with the service’s Retry-After', async status => {
    server.replyWith(json(status, { error: 'busy' }, { 'Retry-After': '7' }))
    const error = await client.job(12).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(TransientError)
    expect(error).toMatchObject({ retryAfterSeconds: 7 })
  })

  it.each([
    ['a reset connection', reset],
    ['half a body', halfABody(job)],
  ])('%s is a TransientError', async (_, reply) => {
    server.replyWith(reply)
    await expect(client.job(12)).rejects.toBeInstanceOf(TransientError)
  })

  it('no reply in time is a TransientError', async () => {
    server.replyWith(() => undefined)
    const impatient = createStorageClient({ baseUrl: `${server.url}/`, token: TOKEN, timeoutSeconds: 1 })
    await expect(impatient.job(12)).rejects.toBeInstanceOf(TransientError)
  })

  it('a redirect is not followed: it would carry the token away', async () => {
    server.replyWith(json(302, {}, { Location: `${server.url}/elsewhere` }))
    await expect(client.job(12)).rejects.toMatchObject({
      code: 'storage.unreachable',
      cause: { message: 'It answered with a redirect' },
    })
    expect(server.received).toHaveLength(1)
  })

  it('a reply of another shape is a contract that changed, not a user’s mistake', async () => {
    server.replyWith(json(200, { id: 'twelve' }))
    const error = await client.job(12).catch((error: unknown) => error)
    expect(error).not.toBeInstanceOf(UserError)
    expect(error).not.toBeInstanceOf(TransientError)
    expect(String(error)).toContain('GET jobs/12')
  })

  it('the token is in no error', async () => {
    for (const reply of [json(401, { error: 'bad' }), json(500, {}), reset, json(200, {})]) {
      server.replyWith(reply)
      const error = await client.job(12).catch((error: unknown) => error)
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(TOKEN)
    }
  })
})
