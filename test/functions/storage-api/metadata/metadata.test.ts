import { describe, expect, it } from 'vitest'
import { componentId, startConfigurationRoutes } from '#support/configuration-routes.ts'

const routes = await startConfigurationRoutes()
await routes.service.createBucket('main')
await routes.service.createTable('in.c-main', 'orders', 'id,city\n1,Prague\n')

const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  routes.service.call(method, `/v2/storage/${path}`, body, headers)
const form = { 'content-type': 'application/x-www-form-urlencoded' }

describe.each([
  ['a bucket', 'buckets/in.c-main/metadata', 'user'],
  ['a table', 'tables/in.c-main.orders/metadata', 'user'],
  ['a column', 'columns/in.c-main.orders.city/metadata', 'user'],
  ['a branch', 'branch/default/metadata', undefined],
])('metadata of %s', (_what, path, provider) => {
  const listOf = async () => (await call('GET', path)).body

  it('are set by POST, changed under the same id, listed and deleted', async () => {
    const first = await call('POST', path, {
      provider,
      metadata: [
        { key: 'a', value: '1' },
        { key: 'b', value: 2 },
      ],
    })
    expect(first.status).toBe(201)
    const [a] = await listOf()
    expect(a).toEqual({
      id: expect.stringMatching(/^\d+$/),
      key: 'a',
      value: '1',
      ...(provider && { provider }),
      timestamp: expect.stringMatching(/\+0000$/),
    })
    await call('POST', path, { provider, metadata: [{ key: 'a', value: 'new' }] })
    expect(await listOf()).toMatchObject([
      { id: a.id, value: 'new' },
      { key: 'b', value: '2' },
    ])
    expect((await call('DELETE', `${path}/${a.id}`)).status).toBe(204)
    expect(await listOf()).toMatchObject([{ key: 'b' }])
    const again = await call('DELETE', `${path}/${a.id}`)
    expect([again.status, again.body.code]).toEqual([404, 'storage.metadata.notFound'])
  })

  it('come as a form too', async () => {
    const text = `provider=user&metadata[0][key]=form&metadata[0][value]=x`
    const { status, body } = await call('POST', path, text, form)
    expect(status).toBe(201)
    expect(body.find((each: { key: string }) => each.key === 'form')).toMatchObject({ value: 'x' })
  })

  it.each([
    ['no list', { metadata: 'a' }, 'storage.metadata.invalidParameter'],
    ['nothing', {}, 'storage.metadata.invalidParameter'],
    ['one object', { metadata: { key: 'a', value: 'a' } }, 'storage.metadata.invalidStructure'],
    ['an empty list', { metadata: [] }, 'storage.metadata.invalidStructure'],
    ['an item without a value', { metadata: [{ key: 'a' }] }, 'storage.metadata.invalidStructure'],
    ['a blank key', { metadata: [{ key: '', value: 'a' }] }, 'storage.metadata.invalidKey'],
    ['a key with %', { metadata: [{ key: 'a%', value: 'a' }] }, 'storage.metadata.invalidKey'],
    ['a key with +', { metadata: [{ key: 'a+', value: 'a' }] }, 'storage.metadata.invalidKey'],
    ['a long key', { metadata: [{ key: 'a'.repeat(256), value: 'a' }] }, 'storage.metadata.invalidKey'],
  ])('refuse %s', async (_case, body, code) => {
    const reply = await call('POST', path, { provider: 'user', ...body })
    expect([reply.status, reply.body.code]).toEqual([400, code])
  })
})

describe('metadata', () => {
  it('of two providers coexist, and a provider is required', async () => {
    const path = 'buckets/in.c-main/metadata'
    for (const provider of ['one', 'two'])
      await call('POST', path, { provider, metadata: [{ key: 'same', value: provider }] })
    const { body } = await call('GET', path)
    const values = body
      .filter((each: { key: string }) => each.key === 'same')
      .map((each: { value: string }) => each.value)
    expect(values).toEqual(['one', 'two'])
    const refused = await call('POST', path, { metadata: [{ key: 'a', value: 'a' }] })
    expect(refused.body.error).toBe('Provider is required.')
    const odd = await call('POST', path, { provider: '%a$', metadata: [{ key: 'a', value: 'a' }] })
    expect([odd.body.code, odd.body.error]).toEqual([
      'storage.metadata.invalidProvider',
      'Invalid metadata provider.',
    ])
  })

  it.each([
    ['by column', { city: [{ key: 'k', value: 'v1' }] }, 'v1'],
    ['under any name', { all: [{ columnName: 'city', key: 'k', value: 'v2' }] }, 'v2'],
    ['as lists', [[{ columnName: 'city', key: 'k', value: 'v3' }]], 'v3'],
  ])('of columns are set with the table, %s', async (_case, columnsMetadata, value) => {
    const { status, body } = await call('POST', 'tables/in.c-main.orders/metadata', {
      provider: 'user',
      metadata: [{ key: 't', value: 'x' }],
      columnsMetadata,
    })
    expect(status).toBe(201)
    expect(body.metadata.map((each: { key: string }) => each.key)).toContain('t')
    expect(body.columnsMetadata.city).toContainEqual(expect.objectContaining({ key: 'k', value }))
  })

  it('of the service itself may be set where it says nothing itself', async () => {
    const metadata = [{ key: 'a', value: 'b' }]
    const set = (path: string) => call('POST', `${path}/metadata`, { provider: 'storage', metadata })
    expect((await set('tables/in.c-main.orders')).status).toBe(201)
    expect((await set('columns/in.c-main.orders.city')).status).toBe(201)
  })

  it('of a column that is not there are refused', async () => {
    const { status, body } = await call('POST', 'tables/in.c-main.orders/metadata', {
      provider: 'user',
      columnsMetadata: { nothing: [{ key: 'a', value: 'a' }] },
    })
    expect([status, body.code]).toEqual([400, 'storage.metadata.invalidParameter'])
    expect((await call('GET', 'columns/in.c-main.orders.nothing/metadata')).status).toBe(404)
  })

  it('answer a form of a table with a plain list', async () => {
    const text = 'provider=user&metadata[0][key]=plain&metadata[0][value]=x'
    expect(Array.isArray((await call('POST', 'tables/in.c-main.orders/metadata', text, form)).body)).toBe(
      true,
    )
  })

  it('find their table by key and provider', async () => {
    const { body: found } = await call('GET', 'search/tables?metadataKey=t&metadataProvider=user')
    expect(found).toMatchObject([{ id: 'in.c-main.orders', bucket: { id: 'in.c-main' } }])
    expect((await call('GET', 'search/tables?metadataKey=absent')).body).toEqual([])
    expect((await call('GET', 'search/tables')).body).toMatchObject({
      code: 'validationError',
      errors: [{ key: 'metadataKey' }],
    })
    expect((await call('GET', 'search/tables')).status).toBe(400)
  })

  it('are deleted with their table', async () => {
    await routes.service.createTable('in.c-main', 'short', 'id\n1\n')
    await call('POST', 'tables/in.c-main.short/metadata', {
      provider: 'u',
      metadata: [{ key: 'a', value: 'b' }],
    })
    await call('DELETE', 'tables/in.c-main.short')
    await routes.service.createTable('in.c-main', 'short', 'id\n1\n')
    expect((await call('GET', 'tables/in.c-main.short/metadata')).body).toEqual([])
  })

  it('of a configuration have no provider and make no version', async () => {
    const id = await routes.create()
    const { status, body } = await routes.send('POST', `${id}/metadata`, {
      metadata: [{ key: 'a', value: 'b' }],
    })
    expect(status).toBe(201)
    expect(Object.keys(body[0]).toSorted()).toEqual(['id', 'key', 'timestamp', 'value'])
    expect((await routes.get(id)).version).toBe(1)
    const { body: found } = await call(
      'GET',
      'search/component-configurations?metadataKeys[]=a&include=filteredMetadata',
    )
    expect(found).toMatchObject([{ configurationId: id, metadata: [{ key: 'a' }] }])
    expect((await routes.send('DELETE', `${id}/metadata/${body[0].id}`)).status).toBe(204)
    const again = await routes.send('DELETE', `${id}/metadata/${body[0].id}`)
    expect([again.status, again.body.error]).toEqual([
      404,
      `Metadata with id "${body[0].id}" not found for "${componentId}" configuration "${id}" in branch "1"`,
    ])
  })
})
