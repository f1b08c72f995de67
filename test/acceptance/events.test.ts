import { describe, expect, it } from 'vitest'
import { connectTarget } from './target.ts'

const target = await connectTarget()

const run = Date.now().toString(36)
const create = async (event: Record<string, unknown>) =>
  (await target.call('POST', 'events', { message: 'An event', ...event })).body
const list = async (query: string) => (await target.call('GET', `events?${query}`)).body
const idsOf = (events: { id: number }[]) => events.map(({ id }) => id)

describe('an event of a component', () => {
  it('is created as clients send it, with every key, null for unset and details as text', async () => {
    const form = new URLSearchParams({
      component: `ex-${run}`,
      message: 'Table fetched.',
      type: 'info',
      configurationId: 'sys.c-a.account-01',
      duration: '200',
      params: '{"accountName":"a"}',
      results: '[]',
    })
    const { status, body } = await target.call('POST', 'events', form, { 'X-KBC-RunId': `${run}.1` })
    expect(status).toBe(201)
    expect(body.uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const { body: found } = await target.call('GET', `events/${body.uuid}`)
    expect(found).toMatchObject({
      uuid: body.uuid,
      id: body.id,
      event: `ext.ex-${run}.sys.c-a.account-01`,
      component: `ex-${run}`,
      configurationId: 'sys.c-a.account-01',
      runId: `${run}.1`,
      params: { accountName: 'a' },
      results: {},
      performance: { duration: 200 },
      context: { apiVersion: 'v2', async: false },
      objectId: null,
      objectName: null,
      objectType: null,
      attachments: [],
      idBranch: expect.any(Number),
    })
    expect((await target.call('GET', `events/${body.id}`)).body).toEqual(found)

    const json = { component: `ex-${run}`, message: 'b', params: [], results: [], type: null, duration: null }
    expect(await create({ ...json, configurationId: null, runId: null, description: null })).toMatchObject({
      event: `ext.ex-${run}.`,
      type: 'info',
      params: {},
      results: {},
      performance: {},
    })
  })

  it('has up to 200 KB', async () => {
    const message = 'x'.repeat(190_000)
    const { id } = await create({ component: `ex-${run}`, message })
    expect((await target.call('GET', `events/${id}`)).body.message).toBe(message)
    expect(await create({ component: `ex-${run}`, message: 'x'.repeat(250_000) })).toMatchObject({
      code: 'requestTooLarge',
    })
  })
})

describe('an event of a component whose events have a schema', () => {
  it('must have what the schema requires', async () => {
    const component = 'keboola.keboola-as-code'
    const refused = await create({ component, params: { command: 'sync-pull' } })
    expect(refused).toMatchObject({
      code: 'storage.event.schemaValidationFailed',
      errors: [{ key: 'results.projectId', message: 'The property projectId is required' }],
    })
    expect(await create({ component, results: { projectId: 13 } })).toMatchObject({
      event: `ext.${component}.`,
    })
  })
})

describe('a form with bytes that are no UTF-8', () => {
  it('is refused, and one with percent signs that encode nothing is not', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const send = (body: string) =>
      target.send(`${target.url}/v2/storage/events`, { method: 'POST', headers, body })
    const refused = await send(`component=ex-${run}&message=state%3A+%80`)
    expect([refused.status, refused.body.code]).toEqual([400, 'malformedRequest'])
    const { status, body } = await send(`component=ex-${run}&message=100%+%C5%BElut%C3%BD+%zz`)
    expect([status, body.message]).toEqual([201, '100% žlutý %zz'])
  })
})

describe('a list of events', () => {
  it('is cut by ids and by uuids alike, excluding both', async () => {
    const sent = []
    for (const message of ['a', 'b', 'c', 'd']) sent.push(await create({ component: `cut-${run}`, message }))
    const [first, second, third, last] = sent
    for (const key of ['id', 'uuid']) {
      expect(idsOf(await list(`component=cut-${run}&sinceId=${second[key]}`))).toEqual([last.id, third.id])
      expect(idsOf(await list(`component=cut-${run}&maxId=${third[key]}`))).toEqual([second.id, first.id])
      const between = `sinceId=${first[key]}&maxId=${last[key]}&forceUuid=1`
      expect(idsOf(await list(`component=cut-${run}&${between}`))).toEqual([third.id, second.id])
    }
    expect((await target.call('GET', 'events?sinceId=yesterday')).status).toBe(400)
    expect((await target.call('GET', `events/${last.uuid.replace(/.$/, '~')}`)).status).toBe(404)
  })

  it('shows up to 10,000', async () => {
    expect((await target.call('GET', 'events?limit=10000&component=none')).status).toBe(200)
    expect((await target.call('GET', 'events?limit=10001')).status).toBe(400)
  })

  it('finds by words and fields', async () => {
    const component = `find-${run}`
    const first = await create({ component, message: `about search-${run}`, type: 'warn', runId: `${run}.7` })
    const second = await create({
      component,
      message: 'of another',
      configurationId: 'a/b',
      params: { kind: 'x' },
    })
    const both = [second.id, first.id]
    const found = async (q: string) => idsOf(await list(`q=${encodeURIComponent(q)}`))
    expect(await found(`search-${run}`)).toEqual([first.id])
    expect(await found(`component:${component}`)).toEqual(both)
    expect(await found(`component:find-* AND event:ext.${component}.`)).toEqual([first.id])
    expect(await found(`event:ext.${component}.a/b`)).toEqual([second.id])
    expect(await found(`component:${component} AND type:warn`)).toEqual([first.id])
    expect(await found(`component:${component} NOT type:warn`)).toEqual([second.id])
    expect(await found(`component:${component} AND (type:error OR params.kind:x)`)).toEqual([second.id])
    expect(await found(`component:${component} AND token.id:${first.token.id}`)).toEqual(both)
    expect(await found(`component:${component} AND token.id:0`)).toEqual([])
    expect(await found(`component:${component} AND idBranch:${first.idBranch}`)).toEqual(both)
    expect(await found(`runId:${run}.7`)).toEqual([first.id])
    expect(await found(`component:${component} AND message:"of another"`)).toEqual([second.id])
    expect(await found(`component:${component} AND nothing:here`)).toEqual([])
    expect(await found(`nothing-${run}`)).toEqual([])
  })

  it.each([': success', 'success:', '/GET', '*tables*', '(open', '"open', 'a AND', 'id:[1 TO 2]'])(
    'refuses the broken query %s',
    async q => {
      const { status, body } = await target.call('GET', `events?q=${encodeURIComponent(q)}`)
      expect([status, body.code]).toEqual([400, 'query.syntax'])
      expect(body.error).toMatch(/^Failed to parse query/)
    },
  )
})

describe('events of a branch', () => {
  it('are in its own list only, and are not found through another', async () => {
    const { results: branch } = await target.job('POST', 'dev-branches', { name: `events-${run}` })
    const made = await target.call('POST', `branch/${branch.id}/events`, {
      component: `branch-${run}`,
      message: 'there',
    })
    expect(made.body.idBranch).toBe(branch.id)
    const here = await create({ component: `branch-${run}` })
    expect(idsOf(await list(`component=branch-${run}`))).toEqual([here.id])
    expect(await list(`q=idBranch:${branch.id}`)).toEqual([])
    const { body: there } = await target.call('GET', `branch/${branch.id}/events?component=branch-${run}`)
    expect(idsOf(there)).toEqual([made.body.id])
    expect((await target.call('GET', `branch/${branch.id}/events/${made.body.uuid}`)).status).toBe(200)
    const other = await target.call('GET', `branch/${branch.id}/events/${here.uuid}`)
    expect([other.status, other.body.error]).toEqual([404, 'Event not found'])
    await target.job('DELETE', `dev-branches/${branch.id}`)
  })
})
