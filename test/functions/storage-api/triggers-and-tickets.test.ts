import { describe, expect, it } from 'vitest'
import { startConfigurationRoutes } from '../../support/configuration-routes.ts'

const routes = await startConfigurationRoutes()
await routes.service.createBucket('main')
await routes.service.createTable('in.c-main', 'orders', 'id\n1\n')

const call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  routes.service.call(method, `/v2/storage/${path}`, body, headers)

describe('triggers', () => {
  const given = {
    runWithTokenId: 42,
    component: 'ex-generic-v2',
    configurationId: '7',
    coolDownPeriodMinutes: 5,
    tableIds: ['in.c-main.orders'],
  }

  it('are made, listed, changed by a form and deleted', async () => {
    const { status, body } = await call('POST', 'triggers/', given)
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^\d+$/),
      runWithTokenId: 42,
      component: 'ex-generic-v2',
      configurationId: '7',
      coolDownPeriodMinutes: 5,
      lastRun: expect.stringMatching(/\+0000$/),
      creatorToken: { id: 42, description: 'Master token' },
      tables: [{ tableId: 'in.c-main.orders' }],
    })
    expect((await call('GET', 'triggers?component=ex-generic-v2')).body).toEqual([body])
    expect((await call('GET', 'triggers?configurationId=8')).body).toEqual([])
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const changed = await call('PUT', `triggers/${body.id}`, 'coolDownPeriodMinutes=9', form)
    expect(changed.body).toEqual({ ...body, coolDownPeriodMinutes: 9 })
    expect((await call('GET', `triggers/${body.id}`)).body).toEqual(changed.body)
    expect((await call('DELETE', `triggers/${body.id}`)).status).toBe(204)
    expect((await call('GET', `triggers/${body.id}`)).status).toBe(404)
  })

  it.each([
    ['a table that is not there', { tableIds: ['in.c-main.nothing'] }, 404],
    ['a token that is not there', { runWithTokenId: 5 }, 404],
    ['no tables', { tableIds: [] }, 400],
    ['no component', { component: '' }, 400],
  ])('refuse %s', async (_what, change, status) => {
    expect((await call('POST', 'triggers', { ...given, ...change })).status).toBe(status)
  })

  it.each(Object.keys(given))('say in the words of the hosted service that %s is missing', async name => {
    const { body } = await call('POST', 'triggers', { ...given, [name]: undefined })
    expect(body.error).toBe(
      name === 'coolDownPeriodMinutes'
        ? 'Minimal cool down period is 1 minute'
        : `Invalid parameters - ${name}: This field is missing.`,
    )
  })

  it('of one token are a hundred at most', async () => {
    const rights = { componentAccess: ['ex-generic-v2'], bucketPermissions: { 'in.c-main': 'read' } }
    const { body: token } = await call('POST', 'tokens', rights)
    const headers = { 'X-StorageApi-Token': token.token }
    const make = () => call('POST', 'triggers', { ...given, runWithTokenId: Number(token.id) }, headers)
    for (let count = 0; count < 100; count++) expect((await make()).status).toBe(201)
    expect(await make()).toMatchObject({
      status: 429,
      body: { error: expect.stringContaining('Delete one') },
    })
    expect((await call('POST', 'triggers', given)).status).toBe(201)
  })

  it('do not run with the master token for whoever has another one', async () => {
    const { body: other } = await call('POST', 'tokens', { canManageBuckets: true })
    const headers = { 'X-StorageApi-Token': other.token }
    const { status, body } = await call('POST', 'triggers', given, headers)
    expect([status, body.error]).toEqual([
      403,
      "The 'runByToken' cannot be admin's token when your main token is not admin's",
    ])
  })
})

describe('tickets', () => {
  it('grow strictly, also when many are taken at once', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => call('POST', 'tickets')))
    const ids = replies.map(({ body }) => Number(body.id))
    expect(new Set(ids).size).toBe(20)
    expect((await call('POST', 'tickets')).body.id).toBe(String(Math.max(...ids) + 1))
  })
})
