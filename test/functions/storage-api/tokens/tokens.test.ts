import { describe, expect, it } from 'vitest'
import { withStorage } from '#support/storage-service.ts'

let clock = new Date('2026-07-16T10:00:00Z')
const service = await withStorage({ now: () => clock })
await service.createBucket('main')
await service.createBucket('other')
await service.createTable('in.c-main', 'orders', 'id\n1\n')
await service.createTable('in.c-other', 'secret', 'id\n1\n')

const tokens = '/v2/storage/tokens'

const create = async (settings: Record<string, unknown> = {}) =>
  (await service.call('POST', tokens, { description: 'test', ...settings })).body
const as = (value: string) => ({ 'X-StorageApi-Token': value })

describe('POST tokens', () => {
  it('answers 201 with the value, once', async () => {
    const { status, body } = await service.call('POST', tokens, {
      description: 'Reports',
      bucketPermissions: { 'in.c-main': 'read' },
      componentAccess: ['ex-generic-v2'],
      expiresIn: 3600,
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      id: expect.stringMatching(/^\d+$/),
      token: expect.stringMatching(new RegExp(`^7-${body.id}-[0-9a-f]{48}$`)),
      description: 'Reports',
      isMasterToken: false,
      canManageBuckets: false,
      bucketPermissions: { 'in.c-main': 'read' },
      componentAccess: ['ex-generic-v2'],
      expires: '2026-07-16T11:00:00+0000',
      creatorToken: { id: 42, description: 'Master token' },
    })
    expect(body).not.toHaveProperty('admin')
    const detail = await service.call('GET', `${tokens}/${body.id}`)
    const list = await service.call('GET', tokens)
    for (const { text } of [detail, list]) expect(text).not.toContain(body.token)
  })

  it('describes it by its creator, and leaves out what does not apply', async () => {
    const body = (await service.call('POST', tokens, {})).body
    expect(body).toMatchObject({
      description: 'Created by Master token',
      expires: null,
      bucketPermissions: {},
    })
    for (const key of ['admin', 'componentAccess']) expect(body).not.toHaveProperty(key)
  })

  it('stores a digest only', async () => {
    const { id, token } = await create()
    const stored = JSON.stringify(await service.stores.tokens.get(Number(id)))
    expect(stored).not.toContain(token.split('-')[2])
  })

  it.each([
    [
      'a bucket that is not there',
      { bucketPermissions: { 'in.c-nothing': 'read' } },
      'storage.tokens.invalidPermissions',
    ],
    [
      'a permission that is none',
      { bucketPermissions: { 'in.c-main': 'own' } },
      'storage.tokens.invalidPermissions',
    ],
    [
      'the permission to manage, which comes for all buckets only',
      { bucketPermissions: { 'in.c-main': 'manage' } },
      'storage.tokens.invalidPermissions',
    ],
    ['permissions that are a text', { bucketPermissions: 'all' }, 'storage.tokens.validation'],
    ['an expiry in the past', { expiresIn: -1 }, 'storage.tokens.validation'],
  ])('refuses %s', async (_what, body, code) => {
    const reply = await service.call('POST', tokens, body)
    expect([reply.status, reply.body.code]).toEqual([400, code])
  })
})

describe('a token', () => {
  it('verifies with its rights and the project', async () => {
    const { id, token } = await create({ bucketPermissions: { 'in.c-main': 'write' } })
    const { body, text } = await service.call('GET', `${tokens}/verify`, undefined, as(token))
    expect(body).toMatchObject({
      id,
      isMasterToken: false,
      canManageTokens: false,
      bucketPermissions: { 'in.c-main': 'write' },
      owner: { id: 7 },
    })
    expect(text).not.toContain(token)
  })

  it('is refused when it has expired, was deleted, was refreshed or is wrong in its last character', async () => {
    const { id, token } = await create({ expiresIn: 60 })
    const status = async (value: string) =>
      (await service.call('GET', `${tokens}/verify`, undefined, as(value))).status
    expect(await status(token)).toBe(200)
    const wrong = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`
    expect(await status(wrong)).toBe(401)

    const { body: refreshed } = await service.call('POST', `${tokens}/${id}/refresh`, {}, as(token))
    expect(refreshed.token).not.toBe(token)
    expect([await status(token), await status(refreshed.token)]).toEqual([401, 200])

    clock = new Date(clock.getTime() + 61_000)
    const expired = await service.call('GET', `${tokens}/verify`, undefined, as(refreshed.token))
    expect([expired.status, expired.body.code]).toEqual([401, 'storage.tokenInvalid'])
    expect(expired.text).not.toContain(refreshed.token)

    const other = await create()
    expect((await service.call('DELETE', `${tokens}/${other.id}`)).status).toBe(204)
    expect(await status(other.token)).toBe(401)
    expect((await service.call('GET', `${tokens}/${other.id}`)).status).toBe(404)
  })

  it('is changed by PUT, from the next request on', async () => {
    const { id, token } = await create()
    const read = async () =>
      (await service.call('GET', '/v2/storage/buckets/in.c-main', undefined, as(token))).status
    expect(await read()).toBe(403)
    const { status, body } = await service.call('PUT', `${tokens}/${id}`, {
      bucketPermissions: { 'in.c-main': 'read' },
    })
    expect([status, body.bucketPermissions, body.description]).toEqual([200, { 'in.c-main': 'read' }, 'test'])
    expect(await read()).toBe(200)
  })

  it('of the stack is not changed here', async () => {
    for (const [method, path] of [
      ['PUT', '42'],
      ['DELETE', '42'],
      ['POST', '42/refresh'],
    ] as const) {
      const { status, body } = await service.call(method, `${tokens}/${path}`, {})
      expect([status, body.code]).toEqual([400, 'storage.tokens.masterToken'])
      expect(body.error).toContain('put a new version of the secret')
    }
  })
})

const limits: [string, string, Record<string, unknown>, Record<string, number>][] = [
  [
    'no rights',
    'nothing',
    {},
    {
      'GET /v2/storage/buckets/in.c-main': 403,
      'GET /v2/storage/tables/in.c-main.orders': 403,
      'GET /v2/storage/tables/in.c-main.orders/data-preview': 403,
      'POST /v2/storage/buckets': 403,
      'GET /v2/storage/tokens': 200,
      'GET /v2/storage/components': 403,
      'GET /v2/storage/triggers': 403,
      'POST /v2/storage/triggers': 400,
      'POST /v2/storage/tokens': 403,
      'GET /v2/storage/tokens/42': 403,
      'GET /v2/storage/components/ex-generic-v2/configs': 403,
      'GET /v2/storage/buckets/in.c-absent': 403,
    },
  ],
  [
    'the right to read a bucket',
    'read',
    { bucketPermissions: { 'in.c-main': 'read' } },
    {
      'GET /v2/storage/buckets/in.c-main': 200,
      'GET /v2/storage/tables/in.c-main.orders/data-preview': 200,
      'POST /v2/storage/tables/in.c-main.orders/export-async': 202,
      'POST /v2/storage/tables/in.c-main.orders/import-async': 403,
      'POST /v2/storage/buckets/in.c-main/tables-async': 403,
      'DELETE /v2/storage/tables/in.c-main.orders': 403,
      'DELETE /v2/storage/buckets/in.c-main': 403,
      'GET /v2/storage/buckets/in.c-other': 403,
      'GET /v2/storage/tables/in.c-other.secret/data-preview': 403,
    },
  ],
  [
    'the right to write to a bucket',
    'write',
    { bucketPermissions: { 'in.c-main': 'write' } },
    {
      'POST /v2/storage/tables/in.c-main.orders/import-async': 400,
      'PUT /v2/storage/buckets/in.c-main': 403,
      'DELETE /v2/storage/buckets/in.c-main': 403,
      'POST /v2/storage/tables/in.c-other.secret/import-async': 403,
    },
  ],
  [
    'access to a component',
    'component',
    { componentAccess: ['ex-generic-v2'] },
    {
      'GET /v2/storage/components/ex-generic-v2/configs': 200,
      'GET /v2/storage/components/keboola.runner-config-test/configs': 403,
      'GET /v2/storage/buckets/in.c-main': 403,
    },
  ],
  [
    'the right to manage all buckets',
    'all',
    { canManageBuckets: true },
    {
      'GET /v2/storage/buckets/in.c-other': 200,
      'GET /v2/storage/components/keboola.runner-config-test/configs': 200,
      'DELETE /v2/storage/buckets/in.c-main': 400,
      'GET /v2/storage/tokens/42': 403,
      'GET /v2/storage/triggers': 200,
      'POST /v2/storage/dev-branches': 403,
      'DELETE /v2/storage/dev-branches/1': 403,
      'PUT /v2/storage/dev-branches/1': 200,
    },
  ],
]

describe.each(limits)('a token with %s', (_what, _name, settings, expected) => {
  it.each(Object.entries(expected))('%s: %i', async (request, status) => {
    const { token } = await create(settings)
    const [method = '', target = ''] = request.split(' ')
    const reply = await service.call(method, target, method === 'GET' ? undefined : {}, as(token))
    expect(reply.status).toBe(status)
    if (status === 403)
      expect(reply.body).toMatchObject({
        code: 'accessDenied',
        error: "You don't have access to the resource.",
      })
  })
})

it('a refusal names the right that is missing', async () => {
  const { token } = await create({ bucketPermissions: { 'in.c-main': 'read' } })
  const missing = async (method: string, path: string) =>
    (await service.call(method, `/v2/storage/${path}`, method === 'GET' ? undefined : {}, as(token))).body
      .contextParams.missing
  expect(await missing('DELETE', 'buckets/in.c-main')).toBe('manage on the bucket in.c-main')
  expect(await missing('GET', 'components/ex-generic-v2/configs')).toBe('the component ex-generic-v2')
  expect(await missing('GET', 'dead-letters')).toBe('all buckets (canManageBuckets)')
})

describe('lists', () => {
  it('show what the token may read', async () => {
    const { token } = await create({ bucketPermissions: { 'in.c-main': 'read' } })
    const ids = async (path: string) =>
      (await service.call('GET', path, undefined, as(token))).body.map((item: { id: string }) => item.id)
    expect(await ids('/v2/storage/buckets')).toEqual(['in.c-main'])
    expect(await ids('/v2/storage/tables')).toEqual(['in.c-main.orders'])
  })
})

describe('a bucket that is deleted', () => {
  it('takes the rights on it along: one of the same name is a new one', async () => {
    await service.createBucket('passing')
    const { id, token } = await create({ bucketPermissions: { 'in.c-passing': 'write' } })
    await service.call('DELETE', '/v2/storage/buckets/in.c-passing')
    await service.createBucket('passing')
    const reply = await service.call('GET', '/v2/storage/buckets/in.c-passing', undefined, as(token))
    expect(reply.status).toBe(403)
    expect((await service.call('GET', `${tokens}/${id}`)).body.bucketPermissions).toEqual({})
  })
})
