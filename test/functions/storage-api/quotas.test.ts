import { describe, expect, it } from 'vitest'
import { createCounts } from '#lib/storage/quotas/counts.ts'
import { createMemoryItemTable } from '#support/memory-item-table.ts'
import { withStorage } from '#support/storage-service.ts'

let now = Date.now()
const service = await withStorage({
  now: () => new Date(now),
  quotas: {
    filesPerDay: 5,
    fileBytesPerDay: 1000,
    eventsPerDay: 3,
    tablesPerBucket: 2,
    configurationsPerComponent: 2,
    snapshotsPerTable: 1,
  },
})

const DAY_MS = 24 * 3600_000

const post = (path: string, body: object) => service.call('POST', `/v2/storage/${path}`, body)

const statuses = async (times: number, send: (index: number) => ReturnType<typeof post>) => {
  const found: number[] = []
  for (let index = 0; index < times; index++) found.push((await send(index)).status)
  return found
}

describe('a quota refuses with a sentence', () => {
  it('events of a day', async () => {
    const send = () => post('events', { component: 'ex-generic-v2', message: 'again' })
    expect(await statuses(4, send)).toEqual([201, 201, 201, 403])
    const { body } = await send()
    expect(body).toMatchObject({
      code: 'storage.quotaExceeded',
      error: expect.stringContaining('"eventsPerDay"'),
    })
    now += DAY_MS + 1000
    expect((await send()).status).toBe(201)
  })

  it('bytes and files of a day', async () => {
    const send = (sizeBytes: number) => post('files/prepare', { name: 'a.csv', sizeBytes })
    expect(await statuses(2, index => send([900, 200][index] ?? 0))).toEqual([201, 403])
    expect((await send(200)).body.error).toContain('"fileBytesPerDay"')
    expect(await statuses(3, () => send(0))).toEqual([201, 201, 403])
    expect((await send(0)).body.error).toContain('"filesPerDay"')
    now += DAY_MS + 1000
  })

  it('tables and aliases of a bucket', async () => {
    await service.createBucket('full')
    const define = (name: string) =>
      post('buckets/in.c-full/tables-definition', { name, columns: [{ name: 'id' }], primaryKeysNames: [] })
    expect(await statuses(3, index => define(`t${index}`))).toEqual([202, 202, 403])
    const refused = await post('buckets/in.c-full/tables-async', { name: 'more', dataFileId: 1 })
    expect([refused.status, refused.body.error]).toEqual([403, expect.stringContaining('"tablesPerBucket"')])
    await service.call('DELETE', '/v2/storage/tables/in.c-full.t0')
    expect((await define('t3')).status).toBe(202)
  })

  it('kept snapshots of a table', async () => {
    await service.createBucket('kept')
    const dataFileId = await service.upload('id\n1\n')
    await post('buckets/in.c-kept/tables-async', { name: 't', dataFileId })
    const keep = () => post('tables/in.c-kept.t/snapshots', {})
    expect(await statuses(2, keep)).toEqual([202, 403])
    expect((await keep()).body.error).toContain('"snapshotsPerTable"')
    const [{ id }] = (await service.call('GET', '/v2/storage/tables/in.c-kept.t/snapshots')).body
    await service.call('DELETE', `/v2/storage/snapshots/${id}`)
    expect((await keep()).status).toBe(202)
    now += DAY_MS + 1000
  })

  it('configurations of a component', async () => {
    const create = (name: string) => post('components/ex-generic-v2/configs', { name, configurationId: name })
    expect(await statuses(3, index => create(`c${index}`))).toEqual([201, 201, 403])
    expect((await create('c3')).body.error).toContain('"configurationsPerComponent"')
    const copied = await post('components/ex-generic-v2/configs/c1/versions/1/create', { name: 'copy' })
    expect([copied.status, copied.body.code]).toEqual([403, 'storage.quotaExceeded'])
  })
})

describe('previews of one token', () => {
  it('are two at a time, and leave those of another token alone', async () => {
    const previewing = await withStorage()
    const call = (token: string) =>
      previewing.call(
        'POST',
        '/v2/storage/components/ex-generic-v2/configs/shop/preview',
        {},
        { 'X-StorageApi-Token': token },
      )
    const newToken = async () =>
      (await previewing.call('POST', '/v2/storage/tokens', { componentAccess: ['ex-generic-v2'] })).body.token
    const [flooder, other] = [await newToken(), await newToken()]
    const parameters = { api: { baseUrl: 'http://127.0.0.1:1/' }, config: { jobs: [{ endpoint: 'a' }] } }
    await previewing.call('POST', '/v2/storage/components/ex-generic-v2/configs', {
      configurationId: 'shop',
      name: 'shop',
      configuration: { parameters },
    })
    const { counts } = previewing.stores
    const { body } = await previewing.call('GET', '/v2/storage/tokens/verify', undefined, {
      'X-StorageApi-Token': flooder,
    })
    const share = { most: 2, minutes: 1 }
    for (let taken = 0; taken < 2; taken++) await counts.take(`previews of ${body.id}`, share)
    const refused = await call(flooder)
    expect([refused.status, refused.body.error]).toEqual([
      403,
      expect.stringContaining('Wait until one of them has ended'),
    ])
    expect((await call(other)).status).toBe(200)
    await counts.giveBack(`previews of ${body.id}`)
    for (let times = 0; times < 3; times++) expect((await call(flooder)).status).toBe(200)
    for (let taken = 0; taken < 20; taken++) await counts.take('previews', { most: 20, minutes: 1 })
    for (let times = 0; times < 3; times++)
      expect((await call(other)).body.error).toContain('20 previews of the project are under way')
  })
})

describe('a count', () => {
  it('of a large bound is written rarely, and is right within a tenth', async () => {
    const items = createMemoryItemTable()
    let writes = 0
    let seed = 1
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed / 2_147_483_647
    }
    const counts = createCounts(
      {
        ...items,
        put: (...given) => {
          writes++
          return items.put(...given)
        },
      },
      () => new Date(),
      random,
    )
    let taken = 0
    while (await counts.take('a', { most: 20_000, minutes: 60 })) taken++
    expect(taken).toBeGreaterThan(18_000)
    expect(taken).toBeLessThan(22_000)
    expect(writes).toBeLessThanOrEqual(1_000)
  })
})
