import { describe, expect, it } from 'vitest'
import { componentId, startConfigurationRoutes } from '#support/configuration-routes.ts'

const routes = await startConfigurationRoutes()

describe('POST configs', () => {
  it('answers 201 with the configuration at version 1, without rows', async () => {
    const { status, body, headers } = await routes.send('POST', '', {
      name: 'Orders',
      description: 'All of them',
      configuration: { parameters: { a: 1 } },
    })
    expect(status).toBe(201)
    expect(headers.get('etag')).toBe('"1"')
    expect(body).toEqual({
      id: expect.stringMatching(/^\d+$/),
      name: 'Orders',
      description: 'All of them',
      created: expect.stringMatching(/\+0000$/),
      creatorToken: { id: 42, description: 'Master token' },
      version: 1,
      changeDescription: 'Configuration created',
      isDisabled: false,
      isDeleted: false,
      configuration: { parameters: { a: 1 } },
      rowsSortOrder: [],
      state: {},
      authors: [{ id: 42, description: 'Master token' }],
      currentVersion: {
        created: body.created,
        creatorToken: { id: 42, description: 'Master token' },
        changeDescription: 'Configuration created',
        versionIdentifier: expect.stringMatching(/./),
      },
    })
    expect((await routes.send('GET', body.id)).body).toEqual({ ...body, rows: [] })
  })

  it('takes forms with the configuration as text or as nested fields', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const text = new URLSearchParams({ name: 'a', configuration: '{"a":{"b":[]}}', isDisabled: '1' })
    expect((await routes.send('POST', '', text.toString(), form)).body).toMatchObject({
      configuration: { a: { b: [] } },
      isDisabled: true,
    })
    const nested = 'name=a&configuration[a][b]=c'
    expect((await routes.send('POST', '', nested, form)).body.configuration).toEqual({ a: { b: 'c' } })
  })

  it('makes one configuration of many requests with one idempotency key', async () => {
    const replies = await Promise.all(
      Array.from({ length: 5 }, () =>
        routes.send('POST', '', { name: 'once' }, { 'Idempotency-Key': 'config-once' }),
      ),
    )
    expect(new Set(replies.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1)
  })

  it('refuses an id that is taken', async () => {
    const configurationId = await routes.create()
    const { status, body } = await routes.send('POST', '', { configurationId, name: 'again' })
    expect([status, body.code]).toEqual([400, 'configurationAlreadyExists'])
  })

  it('makes one configuration of twenty requests for one id', async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => routes.send('POST', '', { configurationId: 'race', name: 'a' })),
    )
    const count = (status: number) => replies.filter(reply => reply.status === status).length
    expect([count(201), count(400)]).toEqual([1, 19])
  })

  it.each([
    ['no name', {}, 'storage.components.validation'],
    ['a blank name', { name: '' }, 'storage.components.validation'],
    [
      'an order of rows that are not there',
      { name: 'a', rowsSortOrder: ['x'] },
      'storage.components.validation',
    ],
    [
      'a configuration that is no JSON',
      { name: 'a', configuration: '{a' },
      'validation.invalidConfigurationFormat',
    ],
    [
      'a configuration that is a list',
      { name: 'a', configuration: [1] },
      'validation.invalidConfigurationFormat',
    ],
    [
      'a configuration that is a number',
      { name: 'a', configuration: 5 },
      'validation.invalidConfigurationFormat',
    ],
    ['a state that is no JSON', { name: 'a', state: 'x' }, 'validation.invalidStateFormat'],
    [
      'a configuration of more than 4 MB',
      { name: 'a', configuration: { a: 'x'.repeat(4_200_000) } },
      'validation.invalidConfigurationFormat',
    ],
  ])('refuses %s', async (_what, body, code) => {
    const reply = await routes.send('POST', '', body)
    expect([reply.status, reply.body.code]).toEqual([400, code])
  })
})

describe('a configuration', () => {
  it.each([
    ['{}'],
    ['{"a":{},"b":[],"c":[{}],"d":{"e":[[]]}}'],
    ['{"z":1,"a":null,"é":"\\u0000","":"","__proto__":{"x":[]}}'],
    ['{"n":[0,-1.5,1e+21,true,false]}'],
  ])('comes back byte by byte: %s', async json => {
    const id = await routes.create({ configuration: json, state: json })
    const { text } = await routes.send('GET', id)
    expect(text).toContain(`"configuration":${json}`)
    expect(text).toContain(`"state":${json}`)
    const versions = await routes.send('GET', `${id}/versions/1`)
    expect(versions.text).toContain(`"configuration":${json}`)
  })

  it('is an object even when PHP sent its empty list', async () => {
    const id = await routes.create({ configuration: [], state: [] })
    expect(await routes.get(id)).toMatchObject({ configuration: {}, state: {} })
  })

  it('may be larger than an item, in all its versions', async () => {
    const large = { a: 'ä"'.repeat(300_000) }
    const id = await routes.create({ configuration: large })
    await routes.send('PUT', id, { configuration: { b: 1 } })
    expect((await routes.get(id)).configuration).toEqual({ b: 1 })
    expect((await routes.send('GET', `${id}/versions/1`)).body.configuration).toEqual(large)
    await routes.send('POST', `${id}/versions/1/rollback`)
    expect((await routes.get(id)).configuration).toEqual(large)
  })
})

describe('PUT configs/{id}', () => {
  it('sets what is given and leaves the rest', async () => {
    const id = await routes.create({ description: 'old', configuration: { a: 1, b: 2 } })
    const { status, body } = await routes.send('PUT', id, { configuration: { a: 3 }, isDisabled: 'True' })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      version: 2,
      description: 'old',
      configuration: { a: 3 },
      isDisabled: true,
      changeDescription: 'Configuration updated',
    })
    expect(body.configuration).toEqual({ a: 3 })
  })

  it.each([
    [
      'the same values',
      { name: 'Test', configuration: { a: { b: [] } }, state: { s: 1 }, isDisabled: false },
    ],
    ['the same configuration as text', { configuration: '{ "a": {"b": []} }' }],
    ['an order of rows that is set', { rowsSortOrder: [] }],
    ['nothing but a change description', { changeDescription: 'why' }],
    ['null for everything', { name: null, configuration: null, state: null, isDisabled: null }],
    ['nothing', {}],
  ])('makes no version of %s', async (_what, body) => {
    const id = await routes.create({ configuration: { a: { b: [] } }, state: { s: 1 } })
    const before = await routes.get(id)
    expect((await routes.send('PUT', id, body)).body).toEqual(before)
    expect(await routes.versions(id)).toHaveLength(1)
  })

  it.each([
    ['name', { name: 'Other' }],
    ['description', { description: 'Other' }],
    ['configuration', { configuration: {} }],
    ['state', { state: { a: 2 } }],
    ['isDisabled', { isDisabled: true }],
  ])('makes a version of another %s', async (field, body) => {
    const id = await routes.create({ configuration: { a: 1 }, state: { a: 1 } })
    const { body: updated } = await routes.send('PUT', id, { ...body, changeDescription: 'because' })
    expect(updated).toMatchObject({ version: 2, changeDescription: 'because', ...body })
    expect(updated[field]).toEqual(Object.values(body)[0])
  })

  it('answers 404 when there is none', async () => {
    const { status, body } = await routes.send('PUT', 'nothing', { name: 'a' })
    expect([status, body.code, body.error]).toEqual([404, 'notFound', 'Configuration nothing not found'])
  })

  it('refuses a version that `If-Match` does not name', async () => {
    const id = await routes.create()
    expect((await routes.send('PUT', id, { name: 'b' }, { 'If-Match': '"1"' })).status).toBe(200)
    const { status, body } = await routes.send('PUT', id, { name: 'c' }, { 'If-Match': '"1"' })
    expect([status, body.code]).toEqual([412, 'storage.components.configurations.versionChanged'])
    expect(body.contextParams).toEqual({ version: 2 })
    expect((await routes.get(id)).name).toBe('b')
    expect((await routes.send('PUT', id, { name: 'd' }, { 'If-Match': '"1", "2"' })).status).toBe(200)
    expect((await routes.send('PUT', id, { name: 'e' }, { 'If-Match': '*' })).status).toBe(200)
  })
})

describe('GET components', () => {
  const list = (query = '') => routes.service.call('GET', `/v2/storage/branch/default/components${query}`)

  it('lists components that have configurations, of the type that is asked for', async () => {
    await routes.create()
    expect((await list()).body).toMatchObject([{ id: componentId, type: 'other', version: 1 }])
    expect((await list('?componentType=extractor')).body).toEqual([])
  })

  it('shows one to any token', async () => {
    const reply = await routes.service.fetchReply(
      new Request('http://storage.test/v2/storage/components/ex-generic-v2'),
    )
    expect(reply.status).toBe(200)
    expect(reply.body).toMatchObject({
      id: 'ex-generic-v2',
      type: 'extractor',
      uri: 'http://storage.test/v2/storage/components/ex-generic-v2',
    })
  })
})

describe('a configuration that is wrapped in another', () => {
  it('is stored unchanged, and a warning event informs its author', async () => {
    const id = await routes.create({ configuration: { configuration: { parameters: {} } } })
    expect((await routes.get(id)).configuration).toEqual({ configuration: { parameters: {} } })
    const { body } = await routes.service.call('GET', `/v2/storage/events?configurationId=${id}`)
    expect(body).toMatchObject([{ type: 'warn', configurationId: id, component: componentId }])
  })
})

describe('a branch in the path', () => {
  it('is the same configuration by name and by number, and 404 when there is none', async () => {
    const id = await routes.create()
    const at = async (branch: string) =>
      (
        await routes.service.call(
          'GET',
          `/v2/storage/branch/${branch}/components/${componentId}/configs/${id}/`,
        )
      ).status
    expect([await at('default'), await at('1'), await at('99')]).toEqual([200, 200, 404])
  })
})

describe('GET configs', () => {
  it('lists in pages by `limit`, `offset` and `sinceId`, and leaves out the trash', async () => {
    const path = '/v2/storage/components/custom-science/configs'
    const ids = ['a', 'b', 'b-1', 'b1', 'c']
    for (const configurationId of [...ids, 'b-0'])
      await routes.service.call('POST', path, { configurationId, name: configurationId })
    await routes.service.call('DELETE', `${path}/b-0`)
    const listed = async (query: string) => {
      const { body } = await routes.service.call('GET', `${path}${query}`)
      return body.map(({ id }: { id: string }) => id)
    }
    expect(await listed('')).toEqual(ids)
    expect(await listed('?limit=2')).toEqual(['a', 'b'])
    expect(await listed('?limit=2&sinceId=b')).toEqual(['b-1', 'b1'])
    expect(await listed('?limit=2&sinceId=b&offset=1')).toEqual(['b1', 'c'])
    expect(await listed('?limit=2&sinceId=c')).toEqual([])
  })
})
