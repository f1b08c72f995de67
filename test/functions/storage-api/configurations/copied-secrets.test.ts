import { afterAll, describe, expect, it } from 'vitest'
import { newConfiguration } from '#lib/storage/configurations/change-configuration.ts'
import { createOpener } from '#lib/storage/secrets/create-opener.ts'
import { componentId, startConfigurationRoutes } from '#support/configuration-routes.ts'
import { sealAsVersion01 } from '#support/seal-as-version-01.ts'

const { service, send, create, get } = await startConfigurationRoutes()
afterAll(() => service.close())

const open = createOpener(service.keys)

/** What a run of the configuration opens: its own settings, those of its rows, and their states. */
const opened = async (configId: string) => {
  const { configuration, rows, state, adoptedSecrets } = await get(configId)
  const all = [
    configuration,
    state,
    ...rows.flatMap((row: { configuration: object; state: object }) => [row.configuration, row.state]),
  ]
  return open(all, { projectId: 7, componentId, configId, adoptedSecrets })
}

const refusal = { code: 'secrets.notOpened' }
const secret = (value: string) => ({ '#token': value })

describe('a sealed value that a client pastes into another configuration', () => {
  it.each<[string, (configId: string, value: object) => Promise<unknown>]>([
    ['PUT', (configId, configuration) => send('PUT', configId, { configuration })],
    ['PATCH', (configId, configuration) => send('PATCH', configId, { configuration })],
    ['a row', (configId, configuration) => send('POST', `${configId}/rows`, { rowId: 'r', configuration })],
    ['a state', (configId, state) => send('PUT', `${configId}/state`, { state })],
  ])('by %s does not open there', async (_, paste) => {
    const source = await create({ configuration: secret('plain') })
    const target = await create({ configuration: {} })
    await paste(target, (await get(source)).configuration)
    await expect(opened(target)).rejects.toMatchObject(refusal)
    expect(await opened(source)).toEqual([secret('plain'), {}])
  })

  it('does not open in a new configuration, nor in a copy of the one that it was pasted into', async () => {
    const source = await create({ configuration: secret('plain') })
    const pasted = await create({ configuration: (await get(source)).configuration })
    await expect(opened(pasted)).rejects.toMatchObject(refusal)
    const { body: copy } = await send('POST', `${pasted}/versions/1/create`, { name: 'copy' })
    await expect(opened(copy.id)).rejects.toMatchObject(refusal)
    await send('POST', `${pasted}/versions/1/rollback`, {})
    await expect(opened(pasted)).rejects.toMatchObject(refusal)
  })

  it('does not open when another value of the same configuration was copied there', async () => {
    const source = await create({ configuration: secret('first') })
    const { body: copy } = await send('POST', `${source}/versions/1/create`, { name: 'copy' })
    await send('PUT', source, { configuration: secret('second') })
    await send('PUT', copy.id, { configuration: (await get(source)).configuration })
    await expect(opened(copy.id)).rejects.toMatchObject(refusal)
  })
})

describe('a sealed value that the service copies', () => {
  it('opens in the copy of a configuration, its rows and their states, and in a copy of the copy', async () => {
    const source = await create({ configuration: secret('root') })
    const row = { rowId: 'r', configuration: secret('row'), state: secret('state') }
    await send('POST', `${source}/rows`, row)
    const { body: copy } = await send('POST', `${source}/versions/2/create`, { name: 'copy' })
    const { body: second } = await send('POST', `${copy.id}/versions/1/create`, { name: 'second' })
    for (const id of [copy.id, second.id])
      expect(await opened(id)).toEqual([secret('root'), {}, secret('row'), secret('state')])
    // The copy changes independently and keeps its secrets.
    await send('PUT', copy.id, { name: 'renamed' })
    await send('PATCH', copy.id, { configuration: secret('new') })
    await send('POST', `${copy.id}/versions/1/rollback`, {})
    expect(await opened(copy.id)).toMatchObject([secret('root'), {}, secret('row'), {}])
  })

  it('opens in the row of another configuration, and of its own', async () => {
    const [source, target] = [await create(), await create()]
    await send('POST', `${source}/rows`, { rowId: 'r', configuration: secret('row') })
    await send('POST', `${source}/rows/r/versions/1/create`, { targetConfigId: target })
    await send('POST', `${source}/rows/r/versions/1/create`, {})
    expect(await opened(target)).toMatchObject([{}, {}, secret('row'), {}])
    expect(await opened(source)).toMatchObject([{}, {}, secret('row'), {}, secret('row'), {}])
    expect(await get(source)).not.toHaveProperty('adoptedSecrets')
  })

  it('opens after a rollback of a row or a configuration', async () => {
    const id = await create({ configuration: secret('one') })
    await send('POST', `${id}/rows`, { rowId: 'r', configuration: secret('row') })
    await send('PUT', id, { configuration: secret('two') })
    await send('PUT', `${id}/rows/r`, { configuration: {} })
    await send('POST', `${id}/rows/r/versions/1/rollback`, {})
    await send('POST', `${id}/versions/1/rollback`, {})
    expect(await opened(id)).toEqual([secret('one'), {}])
  })
})

describe('a value that version 0.1 sealed for the component', () => {
  /** A configuration as version 0.1 left it; its id and the sealed value. */
  const left = async () => {
    const configId = `old-${service.stores.nextId()}`
    const value = await sealAsVersion01('old', componentId, service.keys)
    const changed = {
      at: '2026-01-01T00:00:00.000Z',
      token: { id: '42', description: 'Master token' },
      description: '',
      identifier: configId,
    }
    const settings = { name: configId, configuration: JSON.stringify(secret(value)) }
    const { secrets: _, ...made } = newConfiguration(configId, configId, settings, changed)
    await service.stores.configurations.insert({ branchId: 1, componentId, configId }, made)
    return { configId, value }
  }

  it('opens where it was, also after changes, in copies and after a rollback', async () => {
    const { configId } = await left()
    expect(await opened(configId)).toEqual([secret('old'), {}])
    await send('PUT', configId, { name: 'changed' })
    expect(await opened(configId)).toEqual([secret('old'), {}])
    await send('PUT', configId, { configuration: secret('new') })
    const { body: copy } = await send('POST', `${configId}/versions/1/create`, { name: 'copy' })
    expect(await opened(copy.id)).toEqual([secret('old'), {}])
    await send('POST', `${configId}/versions/1/rollback`, {})
    expect(await opened(configId)).toEqual([secret('old'), {}])
  })

  it('does not open where a client pastes it: in a new configuration, or in one as old', async () => {
    const [source, other] = [await left(), await left()]
    const fresh = await create({ configuration: secret(source.value) })
    await send('PUT', other.configId, { configuration: secret(source.value) })
    for (const id of [fresh, other.configId]) {
      await expect(opened(id)).rejects.toMatchObject(refusal)
      const { body: copy } = await send('POST', `${id}/versions/1/create`, { name: 'copy' })
      if (id === fresh) await expect(opened(copy.id)).rejects.toMatchObject(refusal)
      await send('PUT', id, { name: 'again' })
      await expect(opened(id)).rejects.toMatchObject(refusal)
    }
    await send('POST', `${other.configId}/versions/2/rollback`, {})
    await expect(opened(other.configId)).rejects.toMatchObject(refusal)
  })
})
