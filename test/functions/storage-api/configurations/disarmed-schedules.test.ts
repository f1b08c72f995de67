import { describe, expect, it } from 'vitest'
import { componentId, startConfigurationRoutes } from '#support/configuration-routes.ts'

const { service, send, create, get, versions } = await startConfigurationRoutes()
await service.createBucket('a')
await service.createBucket('b')

const newToken = async (settings: object = {}) => {
  const { body } = await service.call('POST', '/v2/storage/tokens', {
    description: 'other',
    componentAccess: [componentId],
    ...settings,
  })
  return { id: Number(body.id), headers: { 'X-StorageApi-Token': body.token as string } }
}

const scheduled = { schedule: 'rate(1 hour)' }
const by = ({ id }: { id: number }) => ({ by: { id }, armedBy: { id: 42 } })

describe('a schedule', () => {
  it.each<[string, (configId: string, headers: Record<string, string>) => Promise<{ status: number }>]>([
    ['PUT', (configId, headers) => send('PUT', configId, { name: 'changed' }, headers)],
    ['a new row', (configId, headers) => send('POST', `${configId}/rows`, { rowId: 'r2' }, headers)],
    ['PUT of a row', (configId, headers) => send('PUT', `${configId}/rows/r1`, { name: 'x' }, headers)],
    ['DELETE of a row', (configId, headers) => send('DELETE', `${configId}/rows/r1`, undefined, headers)],
    ['a rollback', (configId, headers) => send('POST', `${configId}/versions/1/rollback`, {}, headers)],
    [
      'a rollback of a row',
      (configId, headers) => send('POST', `${configId}/rows/r1/versions/1/rollback`, {}, headers),
    ],
    [
      'trash and restore',
      async (configId, headers) => {
        await send('DELETE', configId, undefined, headers)
        return send('POST', `${configId}/restore`, {}, headers)
      },
    ],
  ])('is disarmed when a lesser token stores the configuration by %s', async (_, change) => {
    const lesser = await newToken()
    const configId = await create({ configuration: scheduled })
    await send('POST', `${configId}/rows`, { rowId: 'r1' })
    expect((await change(configId, lesser.headers)).status).toBeLessThan(300)
    expect((await get(configId)).scheduleDisarmed).toMatchObject(by(lesser))
    const events = await service.call('GET', `/v2/storage/events?configurationId=${configId}`)
    expect(events.body).toMatchObject([{ type: 'warn', event: 'storage.scheduleDisarmed' }])
  })

  it('is armed again by a token that may do as much, also when it stores it as it is', async () => {
    const lesser = await newToken()
    const configId = await create({ configuration: scheduled })
    const reply = await send('PUT', configId, { name: 'changed' }, lesser.headers)
    expect(reply.body.scheduleDisarmed).toMatchObject(by(lesser))
    const again = await send('PUT', configId, { configuration: scheduled })
    expect(again.body).not.toHaveProperty('scheduleDisarmed')
    // Its runs have the rights of the token that stored it last.
    expect(await versions(configId)).toMatchObject([
      { version: 3, creatorToken: { id: 42 }, changeDescription: 'Schedule armed' },
      { version: 2, creatorToken: { id: lesser.id } },
      {},
    ])
  })

  it('stays disarmed while lesser tokens store it, and is taken over by removing and setting it', async () => {
    const lesser = await newToken()
    const configId = await create({ configuration: scheduled })
    for (const name of ['one', 'two']) await send('PUT', configId, { name }, lesser.headers)
    await send('PUT', configId, { configuration: { schedule: 'rate(2 hours)' } }, lesser.headers)
    expect((await get(configId)).scheduleDisarmed).toMatchObject(by(lesser))
    await send('PUT', configId, { configuration: {} }, lesser.headers)
    await send('PUT', configId, { configuration: scheduled }, lesser.headers)
    expect(await get(configId)).not.toHaveProperty('scheduleDisarmed')
  })

  it('stays armed when the token may do as much in every bucket', async () => {
    const first = await newToken({ bucketPermissions: { 'in.c-a': 'write' } })
    const more = await newToken({ bucketPermissions: { 'in.c-a': 'write', 'in.c-b': 'read' } })
    const less = await newToken({ bucketPermissions: { 'in.c-a': 'read', 'in.c-b': 'write' } })
    const configId = await create({})
    await send('PUT', configId, { configuration: scheduled }, first.headers)
    await send('PUT', configId, { name: 'more' }, more.headers)
    expect(await get(configId)).not.toHaveProperty('scheduleDisarmed')
    await send('PUT', configId, { name: 'less' }, less.headers)
    expect((await get(configId)).scheduleDisarmed).toMatchObject({ armedBy: { id: more.id } })
  })

  it('is untouched by a state that is saved, and by a configuration without a schedule', async () => {
    const lesser = await newToken()
    const [configId, plain] = [await create({ configuration: scheduled }), await create({})]
    await send('PUT', `${configId}/state`, { state: { a: 1 } }, lesser.headers)
    await send('PUT', plain, { name: 'changed' }, lesser.headers)
    for (const id of [configId, plain]) expect(await get(id)).not.toHaveProperty('scheduleDisarmed')
  })
})
