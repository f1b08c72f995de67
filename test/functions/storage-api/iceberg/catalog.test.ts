import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { describe, expect, it } from 'vitest'
import { servedEndpoints } from '#functions/storage-api/iceberg/catalog.ts'
import { withStorage } from '#support/storage-service.ts'
import { createCatalogClient } from './support.ts'

let now = new Date('2026-01-02T03:00:00Z')
const service = await withStorage({ now: () => now })
const catalog = createCatalogClient(service)
for (const name of ['main', 'other', 'a-b', 'a_b']) await service.createBucket(name)
await service.createTable('in.c-main', 'orders', 'id\n1\n')
await service.createTable('in.c-main', 'Orders-v2', 'id\n1\n')
await service.createTable('in.c-main', 'x-y', 'id\n1\n')
await service.createTable('in.c-main', 'x_y', 'id\n1\n')
const { body } = await service.call('POST', '/v2/storage/tokens', {
  description: 'reads one',
  bucketPermissions: { 'in.c-main': 'read', 'in.c-a-b': 'read' },
})
const reader = catalog.bearer(body.token)

const refusal = (code: number, type: string, message: unknown = expect.any(String)) => ({
  error: { code, type, message },
})

describe('config', () => {
  it('lists what is served, and knows one warehouse', async () => {
    const { status, body } = await catalog.get('config?warehouse=millrace')
    expect(status).toBe(200)
    expect(body).toEqual({ defaults: {}, overrides: {}, endpoints: servedEndpoints })
    expect((await catalog.get('config')).body).toEqual(body)
    expect((await catalog.get('config?warehouse=7')).body).toEqual(body)
    const unknown = await catalog.get('config?warehouse=elsewhere')
    expect(unknown.body).toEqual(refusal(404, 'NoSuchWarehouseException'))
  })

  it.each([{}, { authorization: 'Bearer wrong' }])('needs a token: %j', async headers => {
    const reply = await service.fetchReply(new Request('http://storage.test/iceberg/v1/config', { headers }))
    expect([reply.status, reply.body]).toEqual([401, refusal(401, 'NotAuthorizedException')])
  })

  it('takes the token in the header of the storage API too', async () => {
    const headers = { 'x-storageapi-token': service.token }
    const reply = await service.fetchReply(new Request('http://storage.test/iceberg/v1/config', { headers }))
    expect(reply.status).toBe(200)
  })
})

describe('oauth/tokens', () => {
  it.each([
    [
      'a client secret',
      { grant_type: 'client_credentials', client_id: 'any', scope: 'catalog' },
      'client_secret',
    ],
    ['a client secret alone', { grant_type: 'client_credentials' }, 'client_secret'],
    [
      'the subject of an exchange',
      {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      },
      'subject_token',
    ],
  ])('gives a storage token back that comes as %s', async (_, form, name) => {
    const { status, body, headers } = await catalog.oauth({ ...form, [name]: service.token })
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(body).toEqual({
      access_token: service.token,
      token_type: 'bearer',
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    })
  })

  it('reads the secret from an Authorization header, and says when the token expires', async () => {
    const { body: token } = await service.call('POST', '/v2/storage/tokens', { expiresIn: 600 })
    const basic = Buffer.from(`name:${token.token}`).toString('base64')
    const { body } = await catalog.oauth(
      { grant_type: 'client_credentials' },
      { authorization: `Basic ${basic}` },
    )
    expect(body).toMatchObject({ access_token: token.token, expires_in: 600 })
  })

  it.each([
    [401, 'invalid_client', { grant_type: 'client_credentials', client_secret: '7-1-guessed' }],
    [400, 'invalid_request', { grant_type: 'client_credentials' }],
    [400, 'unsupported_grant_type', { grant_type: 'password' }],
    [400, 'unsupported_grant_type', {}],
    [
      400,
      'invalid_request',
      { grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange', subject_token: 'a', actor_token: 'b' },
    ],
  ])('answers %i %s otherwise, and never repeats what was sent', async (status, error, form) => {
    const reply = await catalog.oauth(form as Record<string, string>)
    expect([reply.status, reply.body.error]).toEqual([status, error])
    expect(reply.text).not.toContain('guessed')
  })
})

describe('namespaces', () => {
  it('are the buckets that the token may read, by alias', async () => {
    const { body } = await catalog.get('namespaces')
    expect(body).toEqual({
      namespaces: [['in.c-a-b'], ['in.c-a_b'], ['in_c_main'], ['in_c_other']],
      'next-page-token': null,
    })
    expect((await catalog.get('namespaces', reader)).body.namespaces).toEqual([['in.c-a-b'], ['in_c_main']])
  })

  it('come in pages when a page is asked for', async () => {
    const first = (await catalog.get('namespaces?pageToken=&pageSize=3')).body
    expect(first.namespaces).toHaveLength(3)
    const token = encodeURIComponent(first['next-page-token'])
    const second = (await catalog.get(`namespaces?pageToken=${token}&pageSize=3`)).body
    expect(second).toEqual({ namespaces: [['in_c_other']], 'next-page-token': null })
    const { status } = await catalog.get('namespaces?pageToken=%25%25')
    expect(status).toBe(400)
  })

  it('have one level: below one there is none', async () => {
    expect((await catalog.get('namespaces?parent=in_c_main')).body.namespaces).toEqual([])
    expect((await catalog.get('namespaces?parent=')).body.namespaces).toHaveLength(4)
    expect((await catalog.get('namespaces?parent=gone')).status).toBe(404)
    const { body } = await catalog.get('namespaces/in%1Fc-main')
    expect(body).toEqual(refusal(404, 'NoSuchNamespaceException', expect.stringContaining('"in.c-main"')))
  })

  it.each(['in_c_main', 'in.c-main'])('answer to %s', async namespace => {
    const { body } = await catalog.get(`namespaces/${namespace}`)
    expect(body).toMatchObject({ namespace: [namespace], properties: { 'bucket-id': 'in.c-main' } })
    const exists = await catalog.get(`namespaces/${namespace}`, {}, 'HEAD')
    expect([exists.status, exists.text]).toEqual([204, ''])
  })

  it('are refused by both ids where two buckets have one alias, and found by id', async () => {
    const { status, body } = await catalog.get('namespaces/in_c_a_b')
    expect(status).toBe(400)
    expect(body.error.message).toContain('"in.c-a-b", "in.c-a_b"')
    expect((await catalog.get('namespaces/in.c-a_b')).status).toBe(200)
    const limited = await catalog.get('namespaces/in_c_a_b', reader)
    expect(limited.body.error.message).toContain('others that this token may not read')
    expect(limited.text).not.toContain('in.c-a_b')
  })

  it('are 403 for a token that may not read them, whether they exist or not', async () => {
    for (const path of ['in_c_other', 'in_c_other/tables', 'gone', 'in_c_other/tables/t']) {
      const { status, body } = await catalog.get(`namespaces/${path}`, reader)
      expect([status, body]).toEqual([403, refusal(403, 'ForbiddenException')])
    }
    expect((await catalog.get('namespaces/gone', {}, 'HEAD')).status).toBe(404)
  })

  // Spark asks so for `lake.in_c_main.orders.snapshots`, and goes on to the metadata table only at this answer.
  it.each([
    ['in_c_main%1Forders/tables/snapshots', 'a token that reads some buckets'],
    ['in_c_other%1Forders/tables/snapshots', 'a token that reads some buckets'],
    ['in_c_main%1Forders/tables/snapshots', 'the master token'],
    ['gone/tables/orders', 'the master token'],
  ])('%s is no table for %s', async (path, whose) => {
    const headers = whose.startsWith('the') ? {} : reader
    const { status, body } = await catalog.get(`namespaces/${path}`, headers)
    expect([status, body]).toEqual([404, refusal(404, 'NoSuchTableException')])
  })
})

describe('tables', () => {
  it('are listed by alias, and by id where two have one alias', async () => {
    const { body } = await catalog.get('namespaces/in_c_main/tables')
    expect(body).toEqual({
      identifiers: ['orders_v2', 'orders', 'in.c-main.x-y', 'in.c-main.x_y'].map(name => ({
        namespace: ['in_c_main'],
        name,
      })),
      'next-page-token': null,
    })
    const first = (await catalog.get('namespaces/in_c_main/tables?pageToken=&pageSize=1')).body
    expect(first.identifiers).toHaveLength(1)
    const rest = (await catalog.get(`namespaces/in_c_main/tables?pageToken=${first['next-page-token']}`)).body
    expect(rest.identifiers).toHaveLength(3)
  })

  it.each(['orders_v2', 'Orders-v2', 'in.c-main.Orders-v2'])('answer to %s', async name => {
    const path = `namespaces/in_c_main/tables/${name}`
    expect((await catalog.get(path, {}, 'HEAD')).status).toBe(204)
    const head = await service.stores.tables.getHead('in.c-main.Orders-v2')
    const { body } = await catalog.get(path)
    expect(body['metadata-location']).toBe(`s3://tables/${head?.metadataKey}`)
  })

  it('are refused by both ids where two have one alias', async () => {
    const { status, body } = await catalog.get('namespaces/in_c_main/tables/x_y')
    expect(status).toBe(400)
    expect(body.error.message).toContain('"in.c-main.x-y", "in.c-main.x_y"')
  })

  it('that do not exist are 404', async () => {
    const { body } = await catalog.get('namespaces/in_c_main/tables/gone')
    expect(body).toEqual(refusal(404, 'NoSuchTableException'))
    expect((await catalog.get('namespaces/in_c_main/tables/gone', {}, 'HEAD')).status).toBe(404)
  })
})

const orders = 'namespaces/in_c_main/tables/orders'

describe('a loaded table', () => {
  it('has the text of its metadata file, and no credentials unless they are asked for', async () => {
    const { body, text } = await catalog.get(orders)
    const file = await service.jobServices.tables.getHead('in.c-main.orders')
    const metadata = await fileText(`${file?.metadataKey}`)
    expect(text).toContain(`"metadata":${metadata}`)
    expect(body.config).toEqual({
      'client.region': 'us-east-1',
      's3.region': 'us-east-1',
      's3.endpoint': service.s3Endpoint,
      's3.path-style-access': 'true',
    })
    expect(body).not.toHaveProperty('storage-credentials')
    const signed = await catalog.get(orders, { 'x-iceberg-access-delegation': 'remote-signing' })
    expect(signed.body).not.toHaveProperty('storage-credentials')
  })

  it('keeps the digits of ids that have 64 bits, with all snapshots and with those of refs', async () => {
    const tableId = await service.createTable('in.c-other', 'wide', 'id\n1\n')
    const { metadataKey = '' } = (await service.stores.tables.getHead(tableId)) ?? {}
    const old = await fileText(metadataKey)
    const [, id = ''] = /"current-snapshot-id":(\d+)/.exec(old) ?? []
    const wide = '9007199254740993123'
    const older = `{"snapshot-id":42,"sequence-number":0,"timestamp-ms":1,"manifest-list":"s3://tables/x","summary":{}}`
    const text = old.replaceAll(id, wide).replace('"snapshots":[', `"snapshots":[${older},`)
    const key = metadataKey.replace('metadata/00', 'metadata/wide-00')
    await service.s3.send(new PutObjectCommand({ Bucket: 'tables', Key: key, Body: text }))
    const head = { pk: 'BUCKET#in.c-other', sk: 'TABLE#wide' }
    await service.items.put(head, { ...(await service.items.get(head)), metadataKey: key })
    const all = await catalog.get('namespaces/in_c_other/tables/wide')
    expect(all.text).toContain(text)
    const refs = await catalog.get('namespaces/in_c_other/tables/wide?snapshots=refs')
    expect(refs.text).toContain(`"current-snapshot-id":${wide}`)
    expect(refs.body.metadata.snapshots).toHaveLength(1)
    expect(refs.text).toContain(`"snapshot-id":${wide}`)
  })

  it('is not sent again while its tag is current', async () => {
    const first = await catalog.get(orders)
    const etag = first.headers.get('etag') ?? ''
    for (const tags of [etag, `"other", W/${etag}`, '*']) {
      const { status, text } = await catalog.get(orders, { 'if-none-match': tags })
      expect([status, text]).toEqual([304, ''])
    }
    expect((await catalog.get(`${orders}?snapshots=refs`, { 'if-none-match': etag })).status).toBe(200)
    const dataFileId = await service.upload('id\n2\n')
    await service.call('POST', '/v2/storage/tables/in.c-main.orders/import-async', { dataFileId })
    expect((await catalog.get(orders, { 'if-none-match': etag })).status).toBe(200)
  })

  it('is sent again for its credentials before they end', async () => {
    const first = await catalog.get(orders, catalog.delegated)
    const headers = { ...catalog.delegated, 'if-none-match': first.headers.get('etag') ?? '' }
    expect((await catalog.get(orders, headers)).status).toBe(304)
    now = new Date(now.getTime() + 30 * 60_000)
    expect((await catalog.get(orders, headers)).status).toBe(200)
  })

  it('takes no parameter that nobody reads', async () => {
    const { status, body } = await catalog.get(`${orders}?snapshot=refs`)
    expect([status, body]).toEqual([
      400,
      refusal(400, 'BadRequestException', expect.stringContaining('snapshot')),
    ])
    expect((await catalog.get(`${orders}?snapshots=some`)).status).toBe(400)
  })

  it('takes the metrics of scans from who may read it, and logs that they came', async () => {
    expect((await catalog.send('POST', `${orders}/metrics`, { 'report-type': 'scan-report' })).status).toBe(
      204,
    )
    expect(
      (await catalog.send('POST', `${orders}/metrics`, { 'report-type': 'scan-report' }, reader)).status,
    ).toBe(204)
    expect((await catalog.send('POST', `${orders}/metrics`, [])).status).toBe(400)
  })
})

const fileText = async (key: string): Promise<string> => {
  const { Body } = await service.s3.send(new GetObjectCommand({ Bucket: 'tables', Key: key }))
  return (await Body?.transformToString()) ?? ''
}

describe('what is not served', () => {
  it.each([
    ['POST', 'namespaces'],
    ['DELETE', 'namespaces/in_c_main'],
    ['POST', 'namespaces/in_c_main/tables'],
    ['POST', orders],
    ['DELETE', orders],
    ['POST', `${orders}/plan`],
    ['POST', 'transactions/commit'],
    ['POST', 'tables/rename'],
    ['POST', 'namespaces/in_c_main/views'],
  ])('is refused by name: %s %s', async (method, path) => {
    const { status, body } = await catalog.send(method, path)
    expect(status).toBe(406)
    expect(body).toEqual(
      refusal(406, 'UnsupportedOperationException', expect.stringContaining('is not served')),
    )
    expect(body.error.message).toContain(`${method} /v1/{prefix}/`)
  })

  it('is refused by name: views, of which there are none', async () => {
    for (const path of ['views', 'views/orders'])
      expect(await catalog.get(`namespaces/in_c_main/${path}`)).toMatchObject({
        status: 406,
        body: refusal(
          406,
          'UnsupportedOperationException',
          expect.stringContaining('There are no views here'),
        ),
      })
  })

  it('is 404 where the specification has nothing', async () => {
    for (const path of ['nothing', 'namespaces/a/b/c', '%zz', 'namespaces//tables']) {
      const { status, body } = await catalog.get(path)
      expect([status, body.error.code]).toEqual([404, 404])
    }
    expect((await catalog.get('namespaces/%E0%A4%A')).status).toBe(400)
  })
})
