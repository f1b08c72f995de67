import { describe, expect, it } from 'vitest'
import { createOpener } from '#lib/storage/secrets/create-opener.ts'
import { componentId, startConfigurationRoutes } from '#support/configuration-routes.ts'

const { service, send, create, get } = await startConfigurationRoutes()

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
    await send('PUT', copy.id, { configuration: secret('new') })
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
