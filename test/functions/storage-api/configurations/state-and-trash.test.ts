import { describe, expect, it } from 'vitest'
import { componentId, startConfigurationRoutes } from '#support/configuration-routes.ts'

const routes = await startConfigurationRoutes()

describe('PUT configs/{id}/state', () => {
  it('sets it without a version', async () => {
    const id = await routes.create()
    const { status, body } = await routes.send('PUT', `${id}/state`, { state: { since: '2026' } })
    expect(status).toBe(200)
    expect(body).toMatchObject({ version: 1, state: { since: '2026' } })
    expect((await routes.send('PUT', `${id}/state`, { state: {} })).body).toMatchObject({
      version: 1,
      state: {},
    })
  })

  it.each([
    ['nothing', {}, 'Invalid parameters - state: This field is missing.'],
    [
      'another field',
      { state: {}, description: 'a' },
      'Invalid parameters - description: This field was not expected.',
    ],
    ['a blank', { state: '' }, 'Invalid parameters - state: This value should not be blank.'],
    ['text that is no JSON', { state: 'a' }, 'Invalid parameters - state: This value should be valid JSON.'],
  ])('refuses %s, for a row in the words of rows', async (what, body, message) => {
    const id = await routes.create()
    const { body: row } = await routes.send('POST', `${id}/rows`, { name: 'a' })
    const refusalAt = async (path: string) => {
      const { status, body: refusal } = await routes.send('PUT', `${path}/state`, body)
      return [status, refusal.code, refusal.error]
    }
    expect(await refusalAt(id)).toEqual([400, 'storage.components.validation', message])
    expect(await refusalAt(`${id}/rows/${row.id}`)).toEqual([
      400,
      what === 'another field' ? 'storage.componentsRows.validation' : 'validation.invalidStateFormat',
      message.replace('Invalid parameters - state', 'Invalid state body format'),
    ])
  })
})

describe('the trash', () => {
  it('takes a configuration by DELETE, as a version', async () => {
    const id = await routes.create()
    expect((await routes.send('DELETE', id)).status).toBe(204)
    expect((await routes.send('GET', id)).status).toBe(404)
    const ids = async (query: string) =>
      (await routes.service.call('GET', `/v2/storage/components/${componentId}/configs${query}`)).body.map(
        (config: { id: string }) => config.id,
      )
    expect(await ids('')).not.toContain(id)
    expect(await ids('?isDeleted=1')).toContain(id)
  })

  it('gives a configuration back by restore, unless it is not in the trash', async () => {
    const id = await routes.create({ configuration: { a: 1 } })
    expect((await routes.send('POST', `${id}/restore`)).status).toBe(404)
    await routes.send('DELETE', id)
    const { status, body } = await routes.send('POST', `${id}/restore`)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      version: 3,
      changeDescription: 'Configuration restored',
      isDeleted: false,
      configuration: { a: 1 },
    })
    expect(
      (await routes.versions(id)).map((entry: { changeDescription: string }) => entry.changeDescription),
    ).toEqual(['Configuration restored', 'Configuration deleted', 'Configuration created'])
  })

  it('is emptied by a second DELETE: a new configuration inherits nothing', async () => {
    const id = await routes.create({ configuration: { a: 1 } })
    await routes.send('PUT', id, { name: 'second' })
    await routes.send('DELETE', id)
    expect((await routes.send('DELETE', id)).status).toBe(204)
    expect((await routes.send('DELETE', id)).status).toBe(404)
    await routes.send('POST', '', { configurationId: id, name: 'new' })
    expect((await routes.get(id)).version).toBe(1)
    expect(await routes.versions(id)).toHaveLength(1)
  })

  it('is left by creating again: empty content, continued version numbers', async () => {
    const id = await routes.create({ configuration: { a: 1 }, state: { a: 1 } })
    await routes.send('POST', `${id}/rows`, { rowId: 'r', name: 'row' })
    await routes.send('DELETE', id)
    const { status, body } = await routes.send('POST', '', { configurationId: id, name: 'again' })
    expect(status).toBe(201)
    expect(body).toMatchObject({ version: 4, name: 'again' })
    expect([body.configuration, body.state]).toEqual([{}, {}])
  })
})
