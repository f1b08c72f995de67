import { describe, expect, it } from 'vitest'
import { withStorage } from '#support/storage-service.ts'

const service = await withStorage()

const send = (target: string, init: RequestInit = {}) =>
  service.fetchReply(new Request(`http://storage.test${target}`, init))
const authorized = (headers: Record<string, string> = {}) => ({
  'X-StorageApi-Token': service.token,
  ...headers,
})

describe('the token', () => {
  it('is accepted in the header of the API, in any case', async () => {
    const { status } = await send('/v2/storage/buckets', { headers: { 'x-storageapi-token': service.token } })
    expect(status).toBe(200)
  })

  it('is accepted as a bearer token', async () => {
    const { status } = await send('/v2/storage/buckets', {
      headers: { authorization: `Bearer ${service.token}` },
    })
    expect(status).toBe(200)
  })

  it('must be there: 401 without a code', async () => {
    const { status, body } = await send('/v2/storage/buckets')
    expect(status).toBe(401)
    expect(body).toEqual({
      error: 'Access token must be set',
      status: 'error',
      exceptionId: expect.stringMatching(/^[A-Za-z0-9._:-]+$/),
      contextParams: {},
    })
  })

  it('must be the right one, and is not repeated', async () => {
    const { status, text, body } = await send('/v2/storage/buckets', {
      headers: { 'X-StorageApi-Token': 'some-token' },
    })
    expect(status).toBe(401)
    expect(body).toMatchObject({
      status: 'error',
      error: 'Invalid access token',
      code: 'storage.tokenInvalid',
      exceptionId: expect.any(String),
    })
    expect(text).not.toContain('some-token')
  })

  it('is not asked for by the index, and a wrong one does not matter there', async () => {
    for (const headers of [{}, { 'X-StorageApi-Token': 'some-token' }])
      expect((await send('/v2/storage', { headers })).status).toBe(200)
  })
})

describe('paths', () => {
  it.each([
    ['/v2/storage/buckets', 200],
    ['/v2/storage/buckets/', 200],
    ['/v2/storage/', 200],
    ['/v2/storage/branch/default/buckets', 200],
    ['/v2/storage/branch/1/buckets/', 200],
    ['/v2/storage/branch/default/files', 200],
    ['/v2/storage/branch/default/tokens/verify', 200],
    ['/v2/storage/branch/2/buckets', 404],
    ['/v2/storage/branch/main/buckets', 404],
    ['/v2/storage/branch/default', 404],
    ['/v2/storage//not-a-url', 404],
    ['/v2/storage//buckets', 404],
    ['/v2/storage/not-a-url', 404],
    ['/', 404],
    ['/v2/storage/buckets/%zz', 404],
  ])('%s -> %i', async (target, status) => {
    expect((await send(target, { headers: authorized() })).status).toBe(status)
  })

  it('answers an unknown route with notFound', async () => {
    expect((await send('/v2/storage/not-a-url')).body).toMatchObject({ code: 'notFound', status: 'error' })
  })

  it('answers a method that a path does not have with 405 and those it has', async () => {
    const { status, body, headers } = await send('/v2/storage/buckets', {
      method: 'PATCH',
      headers: authorized(),
    })
    expect(status).toBe(405)
    expect(headers.get('allow')).toBe('GET, POST')
    expect(body.contextParams.allowed).toEqual(['GET', 'POST'])
  })

  it('answers a path that ends where an id is expected with 400', async () => {
    const path = '/v2/storage/components/ex-generic-v2/configs/'
    const { status, body } = await send(path, { method: 'PUT', headers: authorized() })
    expect([status, body.error]).toEqual([400, 'The path ends where an id is expected: resource not found.'])
  })

  it('answers HEAD like GET without a body', async () => {
    const { status, text } = await send('/v2/storage', { method: 'HEAD' })
    expect([status, text]).toEqual([200, ''])
  })
})

describe('bodies', () => {
  const create = (body: NonNullable<RequestInit['body']>, contentType?: string) =>
    send('/v2/storage/files/prepare', {
      method: 'POST',
      headers: authorized(contentType === undefined ? {} : { 'content-type': contentType }),
      body,
    })
  const expected = { name: 'a.csv', sizeBytes: 12, tags: ['x', 'y'], isEncrypted: true }

  it('are read as JSON', async () => {
    const json = { name: 'a.csv', sizeBytes: 12, tags: ['x', 'y'], isEncrypted: true, federationToken: 1 }
    expect((await create(JSON.stringify(json), 'application/json; charset=utf-8')).body).toMatchObject(
      expected,
    )
  })

  it('are read as a form with nested fields', async () => {
    const form = 'name=a.csv&sizeBytes=12&tags[]=x&tags[]=y&isEncrypted=1&federationToken=1'
    expect((await create(form, 'application/x-www-form-urlencoded')).body).toMatchObject(expected)
  })

  it('are read as a multipart form with nested fields', async () => {
    const form = new FormData()
    for (const [name, value] of [
      ['name', 'a.csv'],
      ['sizeBytes', '12'],
      ['tags[0]', 'x'],
      ['tags[2]', 'y'],
      ['isEncrypted', 'True'],
      ['federationToken', 'true'],
    ] as const)
      form.set(name, value)
    expect((await create(form)).body).toMatchObject(expected)
  })

  it.each([
    ['JSON without a type', '{"name":"a.csv"}', ''],
    [
      'an explicit null for a field that is not set',
      '{"name":"a.csv","tags":null,"isSliced":null}',
      'application/json',
    ],
  ])('may be %s', async (_what, body, type) => {
    expect((await create(new Blob([body], { type }))).status).toBe(201)
  })

  it.each(['1', '0', 'true', 'false', 'True', 'False', 'TRUE', ''])('take %j for a boolean', async value => {
    const form = `name=a.csv&federationToken=1&isEncrypted=${value}`
    const { body } = await create(form, 'application/x-www-form-urlencoded')
    expect(body.isEncrypted).toBe(value === '1' || value.toLowerCase() === 'true')
  })

  it.each([
    ['broken JSON', '{"name":', 'application/json', 400],
    ['a JSON list', '["name"]', 'application/json', 400],
    ['deep JSON', `{"a":${'['.repeat(100)}${']'.repeat(100)}}`, 'application/json', 400],
    [
      'JSON that no recursion survives',
      `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
      'application/json',
      400,
    ],
    ['bytes that are no UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), 'application/json', 400],
    ['a type that nobody sends', '<name/>', 'application/xml', 415],
    ['a multipart form without its boundary', 'x', 'multipart/form-data', 400],
    [
      'a multipart form that breaks off',
      '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx',
      'multipart/form-data; boundary=b',
      400,
    ],
    ['an empty list, which is how PHP sends no fields', '[]', 'application/json', 400],
    ['more than 8 MiB', `{"name":"${'x'.repeat(9_000_000)}"}`, 'application/json', 413],
  ])('may not be %s', async (_what, body, type, status) => {
    expect((await create(body, type)).status).toBe(status)
  })

  it('name each field that does not fit', async () => {
    const { status, body } = await create('{"sizeBytes":"many","tags":"x"}', 'application/json')
    expect(status).toBe(400)
    expect(body).toMatchObject({
      code: 'storage.validation',
      errors: [
        { key: 'name', message: 'This field is missing.' },
        { key: 'sizeBytes', message: 'This value should be of type integer.' },
        { key: 'tags', message: 'This value should be of type array.' },
      ],
    })
    expect(body.error).toMatch(/^Invalid request:\n - name: "This field is missing\."/)
  })
})

describe('replies', () => {
  it('have a content type without parameters', async () => {
    expect((await service.call('GET', '/v2/storage/buckets')).headers.get('content-type')).toBe(
      'application/json',
    )
    expect((await service.call('GET', '/v2/storage/nothing')).headers.get('content-type')).toBe(
      'application/json',
    )
  })

  it('without content are empty and have no type', async () => {
    const fileId = await service.upload('a\n')
    const { status, text, headers } = await service.call('DELETE', `/v2/storage/files/${fileId}`)
    expect([status, text, headers.get('content-type')]).toEqual([204, '', null])
  })

  it('write dates with a numeric offset', async () => {
    const bucketId = await service.createBucket('dates')
    const { body } = await service.call('GET', `/v2/storage/buckets/${bucketId}`)
    expect(body.created).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/)
  })

  it('to an unexpected error show an id and nothing else', async () => {
    const broken = await withStorage({
      items: items => ({ ...items, get: () => Promise.reject(new Error('table on fire')) }),
    })
    const { status, text, body } = await broken.call('GET', '/v2/storage/buckets/in.c-a')
    expect(status).toBe(500)
    expect(text).not.toContain('fire')
    expect(broken.logged[0]).toMatchObject({
      extra: { exceptionId: body.exceptionId, error: { message: 'table on fire' } },
    })
  })

  it('to a temporary fault ask for another attempt', async () => {
    const throttled = Object.assign(new Error('slow down'), {
      name: 'ProvisionedThroughputExceededException',
    })
    const busy = await withStorage({
      items: items => ({ ...items, get: () => Promise.reject(throttled) }),
    })
    const { status, headers } = await busy.call('GET', '/v2/storage/buckets/in.c-a')
    expect(status).toBe(503)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

describe('the run id', () => {
  it('is kept with what a request makes', async () => {
    const { body } = await service.call(
      'POST',
      '/v2/storage/files/prepare',
      { name: 'a.csv', federationToken: 1 },
      { 'X-KBC-RunId': '1.2' },
    )
    expect(body).toMatchObject({ runId: '1.2', runIds: ['1.2'] })
  })

  it('is null without the header', async () => {
    const { body } = await service.call('POST', '/v2/storage/files/prepare', {
      name: 'a.csv',
      federationToken: 1,
    })
    expect(body).toMatchObject({ runId: null, runIds: [] })
  })
})
