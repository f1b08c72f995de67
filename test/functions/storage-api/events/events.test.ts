import { describe, expect, it } from 'vitest'
import { withStorage } from '#support/storage-service.ts'

const service = await withStorage()

const events = '/v2/storage/events'
const send = async (body: Record<string, unknown>) => (await service.call('POST', events, body)).body
const list = async (query: string): Promise<string[]> =>
  (await service.call('GET', `${events}?${query}`)).body.map((event: { message: string }) => event.message)

describe('POST events', () => {
  it.each([
    ['no component', { message: 'a' }, 'storage.events.validation'],
    ['another type', { component: 'a', message: 'b', type: 'debug' }, 'storage.events.validation'],
    [
      'details that are a text',
      { component: 'a', message: 'b', params: 'text' },
      'storage.events.validation',
    ],
    ['no message', { component: 'a' }, 'storage.events.validation'],
    [
      'details as text, nested deeper than anything that calls itself can walk',
      { component: 'a', message: 'b', params: '['.repeat(100_000) + ']'.repeat(100_000) },
      'storage.events.validation',
    ],
  ])('refuses %s', async (_what, body, code) => {
    const reply = await service.call('POST', events, body)
    expect([reply.status, reply.body.code]).toEqual([400, code])
  })
})

describe('GET events', () => {
  it('that is sent again with its idempotency key is stored once', async () => {
    const body = { component: 'ex-twice', message: 'It failed', type: 'error' }
    const again = () => service.call('POST', events, body, { 'Idempotency-Key': 'run-7-end' })
    const replies = await Promise.all([again(), again()])
    replies.push(await again())
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(new Set(replies.map(({ body: { id } }) => id)).size).toBe(1)
    expect(await list('component=ex-twice')).toEqual(['It failed'])
    const other = { ...body, message: 'Something else' }
    expect(await service.call('POST', events, other, { 'Idempotency-Key': 'run-7-end' })).toMatchObject({
      status: 422,
      body: { code: 'storage.idempotencyKeyReused' },
    })
  })

  it('that is repeated while others are sent is stored once, and so is each of them', async () => {
    const body = { component: 'ex-at-once', message: 'again', type: 'error' }
    const repeat = () => service.call('POST', events, body, { 'Idempotency-Key': 'run-8-end' })
    const other = (message: string) => service.call('POST', events, { ...body, message })
    const replies = await Promise.all([other('a'), repeat(), repeat(), repeat(), other('b')])
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    expect((await list('component=ex-at-once')).sort()).toEqual(['a', 'again', 'b'])
  })

  it('lists them newest first, by page and run', async () => {
    const component = 'ex-list'
    for (const [index, runId] of ['5', '5.6', '5.6.7', '56'].entries())
      await send({ component, message: `m${index}`, runId })
    const within = `component=${component}`
    expect(await list(within)).toEqual(['m3', 'm2', 'm1', 'm0'])
    expect(await list(`${within}&sortOrder=asc&limit=2`)).toEqual(['m0', 'm1'])
    expect(await list(`${within}&limit=2&offset=1`)).toEqual(['m2', 'm1'])
    expect(await list(`${within}&runId=5`)).toEqual(['m2', 'm1', 'm0'])
  })

  it('answers 404 for one that is not there', async () => {
    const { status, body } = await service.call('GET', `${events}/12`)
    expect([status, body.code]).toEqual([404, 'storage.events.notFound'])
  })

  it('shows a token what it sent, and nothing else of limited rights', async () => {
    const { body: limited } = await service.call('POST', '/v2/storage/tokens', {
      componentAccess: ['ex-own'],
    })
    const headers = { 'X-StorageApi-Token': limited.token }
    await service.call('POST', events, { component: 'ex-own', message: 'mine' }, headers)
    const shown = async (path: string) =>
      (await service.call('GET', path, undefined, headers)).body.map(
        (event: { message: string }) => event.message,
      )
    const own = ['mine', 'Created token "Created by Master token"']
    expect(await shown(events)).toEqual(own)
    expect(await shown(`/v2/storage/tokens/${limited.id}/events`)).toEqual(own)
    expect((await service.call('GET', '/v2/storage/tokens/42/events', undefined, headers)).status).toBe(403)
  })
})

describe('an event of a change', () => {
  it('is made with it or not at all', async () => {
    const faults = { isDeaf: true }
    const deaf = await withStorage({
      items: items => ({
        ...items,
        transact: async writes => {
          const tells = writes.some(({ key }) => key.pk.startsWith('EVENTS'))
          if (faults.isDeaf && tells) throw new Error('no events today')
          return items.transact(writes)
        },
      }),
    })
    const make = () => deaf.call('POST', '/v2/storage/buckets', { name: 'quiet' })
    const remove = () => deaf.call('DELETE', '/v2/storage/buckets/in.c-quiet?async=1')
    const told = async () =>
      (await deaf.call('GET', events)).body.map((event: { event: string }) => event.event)
    expect((await make()).status).toBe(500)
    expect((await deaf.call('GET', '/v2/storage/buckets/in.c-quiet')).status).toBe(404)
    faults.isDeaf = false
    expect((await make()).status).toBe(201)
    expect((await remove()).body.status).toBe('success')
    expect(await told()).toEqual(['storage.bucketDeleted', 'storage.bucketCreated'])
  })
})

describe('who reads an event', () => {
  const tokenWith = async (settings: object) =>
    (await service.call('POST', '/v2/storage/tokens', settings)).body.token as string

  it('is one rule for lists and details', async () => {
    await service.createBucket('closed')
    await service.createBucket('open')
    const component = 'ex-rule'
    await send({ component, message: 'of a configuration', configurationId: 'c1' })
    await send({ component, message: 'of no configuration' })
    await send({ component: 'ex-other', message: 'of another component', configurationId: 'c1' })
    const token = await tokenWith({
      componentAccess: [component],
      bucketPermissions: { 'in.c-open': 'read' },
    })
    const headers = { 'X-StorageApi-Token': token }
    const get = (path: string) => service.call('GET', path, undefined, headers)

    const { body: all } = await service.call('GET', `${events}?limit=1000`)
    const { body: shown } = await get(`${events}?limit=1000`)
    const listed = new Set(shown.map(({ id }: { id: number }) => id))
    for (const { id } of all)
      expect([id, (await get(`${events}/${id}`)).status]).toEqual([id, listed.has(id) ? 200 : 403])
    const texts = shown.map(
      ({ objectId, message }: { objectId: string; message: string }) => objectId ?? message,
    )
    expect(texts).toContain('in.c-open')
    expect(texts).toContain('of a configuration')
    for (const hidden of ['in.c-closed', 'of no configuration', 'of another component'])
      expect(texts).not.toContain(hidden)
    expect((await get('/v2/storage/buckets/in.c-open/events')).body).not.toEqual([])
    expect((await get('/v2/storage/buckets/in.c-closed/events')).status).toBe(403)
  })

  it('and its sender must be allowed to use its component', async () => {
    const headers = { 'X-StorageApi-Token': await tokenWith({ componentAccess: ['ex-rule'] }) }
    const sent = async (component: string) =>
      (await service.call('POST', events, { component, message: 'x' }, headers)).status
    expect([await sent('ex-rule'), await sent('ex-other'), await sent('storage')]).toEqual([201, 403, 403])
  })
})

describe('the events of a table and its bucket', () => {
  it('show what was done with them, and why a job failed', async () => {
    await service.createBucket('told')
    const tableId = await service.createTable('in.c-told', 'orders', 'id\n1\n')
    const dataFileId = await service.upload('other\n1\n')
    await service.call('POST', `/v2/storage/tables/${tableId}/import-async`, { dataFileId })
    const told = async (path: string) => (await service.call('GET', `/v2/storage/${path}/events`)).body
    // The event follows the end of the job.
    await expect
      .poll(() => told(`tables/${tableId}`))
      .toMatchObject([
        {
          event: 'storage.tableImportError',
          type: 'error',
          objectType: 'table',
          objectId: tableId,
          description: expect.stringContaining('Missing columns: id'),
        },
        { event: 'storage.tableImportDone', type: 'success' },
        { event: 'storage.tableCreated', type: 'success' },
      ])
    expect(await told('buckets/in.c-told')).toMatchObject([{ event: 'storage.bucketCreated' }])
    expect((await service.call('GET', '/v2/storage/tables/in.c-told.nothing/events')).status).toBe(404)
  })
})

it('what an event has no room for keeps no change from being made, and the event says so', async () => {
  const tags = Array.from({ length: 500 }, (_, index) => `${index}${'"'.repeat(190)}`)
  const { status, body: file } = await service.call('POST', '/v2/storage/files/prepare', { name: 'f', tags })
  expect(status).toBe(201)
  expect((await service.call('GET', `/v2/storage/files/${file.id}`)).body.tags).toHaveLength(500)
  const { body: told } = await service.call('GET', `${events}?q=event:storage.fileUploaded&limit=1`)
  expect(told).toMatchObject([
    { objectId: String(file.id), params: { leftOut: expect.stringContaining('larger than an event') } },
  ])
})
