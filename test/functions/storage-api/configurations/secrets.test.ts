import { describe, expect, it } from 'vitest'
import { createOpener } from '#lib/storage/secrets/create-opener.ts'
import { componentId, startConfigurationRoutes } from '#support/configuration-routes.ts'

const routes = await startConfigurationRoutes()

const plain = 'hunter2-do-not-tell'
const sealed = expect.stringMatching(/^KBC::ProjectSecure::[A-Za-z0-9+/]+=*$/)

describe('a secret', () => {
  it('comes back sealed, from the first reply on, and opens for its configuration', async () => {
    const { body } = await routes.send('POST', '', {
      name: 'secret',
      configuration: { api: { '#token': plain }, token: 'public' },
      state: { '#refresh': plain },
    })
    expect(body.configuration).toEqual({ api: { '#token': sealed }, token: 'public' })
    expect(body.state).toEqual({ '#refresh': sealed })
    const open = createOpener(routes.service.keys)
    expect(await open(body.configuration, { projectId: 7, componentId, configId: body.id })).toEqual({
      api: { '#token': plain },
      token: 'public',
    })
  })

  it('is kept when it is sent back sealed, without a version', async () => {
    const id = await routes.create({ configuration: { '#token': plain } })
    const { configuration } = await routes.get(id)
    const { body } = await routes.send('PUT', id, { configuration })
    expect([body.version, body.configuration]).toEqual([1, configuration])
  })

  it('is sealed in rows, states and forms', async () => {
    const id = await routes.create()
    const row = await routes.send('POST', `${id}/rows`, { rowId: 'r', configuration: { '#a': plain } })
    expect(row.body.configuration).toEqual({ '#a': sealed })
    const replies = [
      await routes.send('PUT', `${id}/rows/r`, { configuration: { '#b': plain }, state: { '#b': plain } }),
      await routes.send('PUT', `${id}/rows/r`, { configuration: { c: { '#c': plain } } }),
      await routes.send('PUT', `${id}/rows/r/state`, { state: { '#d': plain } }),
      await routes.send('PUT', `${id}/state`, { state: { '#e': plain } }),
      await routes.send('PUT', id, `configuration[#f]=${plain}`, {
        'content-type': 'application/x-www-form-urlencoded',
      }),
    ]
    for (const { status, text } of replies) {
      expect(status).toBe(200)
      expect(text).toContain('KBC::ProjectSecure::')
      expect(text).not.toContain(plain)
    }
  })

  it('is in no version, event, error or log', async () => {
    const id = await routes.create({ configuration: { configuration: { '#token': plain } } })
    await routes.send('PUT', id, {
      configuration: { '#token': plain, '#list': [plain] },
      changeDescription: 'x',
    })
    const refused = await routes.send('PUT', id, { configuration: { '#token': plain }, rowsSortOrder: ['x'] })
    expect(refused.status).toBe(400)
    const replies = [
      refused,
      await routes.send('GET', `${id}/versions?include=configuration`),
      await routes.send('GET', `${id}/versions/1`),
      await routes.send('GET', `${id}/versions/1/diff/2`),
      await routes.service.call('GET', '/v2/storage/events'),
      await routes.service.call('GET', '/v2/storage/components?include=configuration,rows,state'),
    ]
    for (const { text } of replies) expect(text).not.toContain(plain)
    expect(JSON.stringify(routes.service.logged)).not.toContain(plain)
  })

  it('is stored sealed only', async () => {
    const id = await routes.create({ configuration: { '#token': plain } })
    await routes.send('PUT', id, { configuration: { '#token': `${plain}2` } })
    const configuration = await routes.service.stores.configurations.get({
      branchId: 1,
      componentId,
      configId: id,
    })
    expect(JSON.stringify(configuration)).not.toContain(plain)
  })

  it('that cannot be sealed now is a 503, and nothing is stored', async () => {
    const id = await routes.create()
    const broken = await startConfigurationRoutes()
    const configurationId = await broken.create()
    await broken.service.keys.close()
    const { status, text } = await broken.send('PUT', configurationId, {
      configuration: { '#token': plain },
    })
    expect(status).toBe(503)
    expect(text).not.toContain(plain)
    expect((await broken.get(configurationId)).version).toBe(1)
    expect((await routes.get(id)).version).toBe(1)
  })
})
