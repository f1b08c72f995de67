import { describe, expect, it } from 'vitest'
import { runInput } from '#functions/run-extractor/event.ts'
import { schedulesOfService, startDueRuns } from '#functions/tick/due-schedules.ts'
import { untilEnd } from '#support/until-end.ts'
import { newExecution, startExtraction } from '../../support/extraction.ts'
import { startApi } from '../lib/extractor/api-server.ts'

let configs = 0

const extraction = await untilEnd(startExtraction())
const api = await untilEnd(startApi(() => [{ id: 'new' }]))
await extraction.service.createBucket('foreign')
await extraction.service.createBucket('own')
const foreign = await extraction.service.createTable('in.c-foreign', 'salaries', 'id\nold\n')

const tokens = '/v2/storage/tokens'
const configsPath = '/v2/storage/components/ex-generic-v2/configs'

const newToken = async (settings: object = {}): Promise<{ id: string; headers: Record<string, string> }> => {
  const { body } = await extraction.service.call('POST', tokens, {
    description: 'a lesser token',
    componentAccess: ['ex-generic-v2'],
    ...settings,
  })
  return { id: body.id, headers: { 'X-StorageApi-Token': body.token } }
}

/** A configuration that this token stores; its id. */
const store = async (headers: Record<string, string> | undefined, configuration: object): Promise<string> => {
  const configurationId = `c${++configs}`
  const body = { configurationId, name: configurationId, configuration }
  const { status, text } = await extraction.service.call('POST', configsPath, body, headers)
  if (status !== 201) throw new Error(text)
  return configurationId
}

const writing = (destination: string, more: object = {}) => ({
  parameters: {
    api: { baseUrl: `${api.origin}/` },
    config: { outputBucket: 'own', jobs: [{ endpoint: 'items' }] },
  },
  storage: { output: { tables: [{ source: 'own.items', destination }] }, ...more },
})

const rowsOf = async (tableId: string): Promise<string> =>
  (await extraction.service.call('GET', `/v2/storage/tables/${tableId}/data-preview`)).text

const tokenIds = async (): Promise<string[]> =>
  (await extraction.service.call('GET', tokens)).body.map(({ id }: { id: string }) => id)

describe('a run has the rights of the token that stored the configuration last', () => {
  it('it cannot read a table that its author may not read, and says whose rights were missing', async () => {
    const lesser = await newToken({ bucketPermissions: { 'in.c-own': 'write' } })
    const input = { input: { tables: [{ source: foreign, destination: 'a.csv' }] } }
    const configId = await store(lesser.headers, {
      ...writing('in.c-own.items', input),
      parameters: { ...writing('').parameters, iterations: { table: 'a.csv' } },
    })
    api.requests.length = 0
    const { end } = await extraction.run(configId)
    expect(end).toMatchObject({
      failure: {
        Error: 'accessDenied',
        Cause: expect.stringMatching(/in\.c-foreign\.salaries.*"a lesser token"/),
      },
    })
    expect(api.requests).toEqual([])
  })

  it('it cannot overwrite a table that its author may not write', async () => {
    const lesser = await newToken({ bucketPermissions: { 'in.c-foreign': 'read' } })
    const { end } = await extraction.run(await store(lesser.headers, writing(foreign)))
    expect(end).toMatchObject({
      failure: {
        Error: 'accessDenied',
        Cause: expect.stringContaining(`may not write the table "${foreign}"`),
      },
    })
    expect(await rowsOf(foreign)).toContain('old')
  })

  it('it cannot make a bucket that its author may not make', async () => {
    const lesser = await newToken()
    const { end } = await extraction.run(await store(lesser.headers, writing('in.c-brand-new.items')))
    expect(end).toMatchObject({ failure: { Error: 'accessDenied' } })
    expect((await extraction.service.call('GET', '/v2/storage/buckets/in.c-brand-new')).status).toBe(404)
  })

  it('what the author may do, it does', async () => {
    const lesser = await newToken({ bucketPermissions: { 'in.c-own': 'write', 'in.c-foreign': 'read' } })
    const input = { input: { tables: [{ source: foreign, destination: 'a.csv' }] } }
    const configId = await store(lesser.headers, writing('in.c-own.by-lesser', input))
    const { end } = await extraction.run(configId)
    expect(end.result).toMatchObject({ status: 'success', rowsLoaded: 1 })
    expect(await rowsOf('in.c-own.by-lesser')).toContain('new')
    const { body: configuration } = await extraction.service.call('GET', `${configsPath}/${configId}`)
    expect(configuration.state).toMatchObject({ time: {} })
  })

  it('an edit by a lesser token takes the rights of the run with it', async () => {
    const configId = await store(undefined, writing(foreign))
    const lesser = await newToken()
    const edit = { name: 'edited' }
    await extraction.service.call('PUT', `${configsPath}/${configId}`, edit, lesser.headers)
    const { end } = await extraction.run(configId)
    expect(end).toMatchObject({ failure: { Error: 'accessDenied' } })
    expect(await rowsOf(foreign)).toContain('old')
  })

  it('a run that names its author has that one’s rights, whoever stored the configuration', async () => {
    const configId = await store(undefined, writing(foreign))
    const lesser = await newToken()
    const { end } = await extraction.run(configId, { authorTokenId: lesser.id })
    expect(end).toMatchObject({ failure: { Error: 'accessDenied' } })
  })

  it('what another token stored after it was asked for does not run', async () => {
    const configId = await store(undefined, writing(foreign))
    const lesser = await newToken()
    const asked = { authorTokenId: '42', configVersion: 1 }
    await extraction.service.call('PUT', `${configsPath}/${configId}`, { name: 'x' }, lesser.headers)
    const { end } = await extraction.run(configId, asked)
    expect(end).toMatchObject({ failure: { Error: 'extractor.run.configurationChanged' } })
    expect(await rowsOf(foreign)).toContain('old')
    // What it stored itself meanwhile does.
    const own = await store(undefined, writing('in.c-own.items'))
    await extraction.service.call('PUT', `${configsPath}/${own}`, { name: 'x' })
    expect((await extraction.run(own, asked)).end.result).toMatchObject({ status: 'success' })
  })

  it('rights that the author lost meanwhile are lost to its runs', async () => {
    const lesser = await newToken({ bucketPermissions: { 'in.c-own': 'write' } })
    const configId = await store(lesser.headers, writing('in.c-own.lost'))
    await extraction.service.call('PUT', `${tokens}/${lesser.id}`, { bucketPermissions: {} })
    expect((await extraction.run(configId)).end).toMatchObject({ failure: { Error: 'accessDenied' } })
  })

  it.each([
    ['was deleted', (id: string) => extraction.service.call('DELETE', `${tokens}/${id}`)],
    [
      'may no longer use the component',
      (id: string) => extraction.service.call('PUT', `${tokens}/${id}`, { componentAccess: [] }),
    ],
  ])('it does not begin when the author’s token %s, and an event says so', async (_, change) => {
    const lesser = await newToken()
    const configId = await store(lesser.headers, writing('in.c-own.items'))
    await change(lesser.id)
    const before = await tokenIds()
    const { end, steps } = await extraction.run(configId)
    expect(steps).toEqual([])
    expect(end).toMatchObject({ failure: { Error: 'extractor.run.authorRefused' } })
    expect(await tokenIds()).toEqual(before)
    const { body: events } = await extraction.service.call(
      'GET',
      `/v2/storage/events?component=ex-generic-v2&configurationId=${configId}`,
    )
    expect(events).toMatchObject([{ type: 'error', message: expect.stringContaining(lesser.id) }])
  })
})

describe('a schedule of the configuration', () => {
  /** What the next minute starts of this configuration, and how it ends. */
  const nextMinute = async (configId: string): Promise<object[]> => {
    const ends: object[] = []
    const { stackStorage, storageWith, log } = extraction.services()
    const time = new Date(Date.now() + 2 * 60_000)
    const schedules = schedulesOfService(extraction.service.jobServices, ['ex-generic-v2'])
    await startDueRuns(time, schedules, {
      storage: { ...storageWith(extraction.service.token), ...stackStorage },
      startRun: async (_, input) => {
        if (input['configId'] !== configId) return
        const { end } = await extraction.run(configId, runInput.parse(input))
        ends.push(end)
      },
      log,
    })
    return ends
  }

  const scheduled = (configuration: object) => ({ ...configuration, schedule: 'rate(1 minute)' })

  it('of a lesser token reads and writes what that token may, and no more', async () => {
    const lesser = await newToken({ bucketPermissions: { 'in.c-own': 'write' } })
    const stolen = await store(lesser.headers, scheduled(writing(foreign)))
    expect(await nextMinute(stolen)).toMatchObject([{ failure: { Error: 'accessDenied' } }])
    expect(await rowsOf(foreign)).toContain('old')
    const own = await store(lesser.headers, scheduled(writing('in.c-own.scheduled')))
    expect(await nextMinute(own)).toMatchObject([{ result: { status: 'success' } }])
  })

  it('of the master token does not run any more what a lesser token made of it', async () => {
    const configId = await store(undefined, scheduled(writing('in.c-own.scheduled')))
    expect(await nextMinute(configId)).toMatchObject([{ result: { status: 'success' } }])
    const lesser = await newToken()
    const configuration = scheduled(writing(foreign))
    await extraction.service.call('PUT', `${configsPath}/${configId}`, { configuration }, lesser.headers)
    expect(await nextMinute(configId)).toMatchObject([{ failure: { Error: 'accessDenied' } }])
    expect(await rowsOf(foreign)).toContain('old')
  })
})

describe('the token of a run', () => {
  const begun = async () => {
    const configId = await store(undefined, writing('in.c-own.items'))
    const before = await tokenIds()
    const execution = newExecution()
    const input = { componentId: 'ex-generic-v2', configId, overlap: 'wait' as const }
    const reply = await extraction.advance('begin', execution, input)
    const [id] = (await tokenIds()).filter(one => !before.includes(one))
    return { configId, execution, input, reply, id }
  }

  it('of the master token’s run manages buckets and no tokens, and ends by itself', async () => {
    const { configId, execution, id } = await begun()
    const { body: token } = await extraction.service.call('GET', `${tokens}/${id}`)
    expect(token).toMatchObject({
      isMasterToken: false,
      canManageBuckets: true,
      canManageTokens: false,
      canPurgeTrash: false,
      componentAccess: ['ex-generic-v2'],
      description: expect.stringMatching(/^Run test-\d+ of ex-generic-v2\/c\d+ for Master token$/),
    })
    const lifeMs = Date.parse(token.expires) - Date.now()
    expect(lifeMs).toBeGreaterThan(0)
    expect(lifeMs).toBeLessThanOrEqual(2 * 86_400_000)
    await extraction.run(configId, { execution })
    expect((await extraction.service.call('GET', `${tokens}/${id}`)).status).toBe(404)
  })

  it('outlives no author', async () => {
    const lesser = await newToken({ bucketPermissions: { 'in.c-own': 'write' }, expiresIn: 600 })
    const configId = await store(lesser.headers, writing('in.c-own.items'))
    const before = await tokenIds()
    const input = { componentId: 'ex-generic-v2', configId, overlap: 'wait' as const }
    await extraction.advance('begin', newExecution(), input)
    const [id] = (await tokenIds()).filter(one => !before.includes(one))
    const { body: token } = await extraction.service.call('GET', `${tokens}/${id}`)
    expect(Date.parse(token.expires) - Date.now()).toBeLessThanOrEqual(601_000)
  })

  it('is sealed where it is kept, and nowhere in what the machine sees', async () => {
    const { execution, reply } = await begun()
    const runId = execution.slice(execution.lastIndexOf(':') + 1)
    const { value = '' } = (await extraction.services().runTokens.open(runId)) ?? {}
    const kept = await Promise.all(
      ['token.json', 'run.json', 'configuration.json'].map(name =>
        extraction.work.read(`runs/${runId}/${name}`),
      ),
    )
    expect(value).toMatch(/^7-\d+-[0-9a-f]{48}$/)
    expect(JSON.stringify([reply, kept, extraction.logged])).not.toContain(value.split('-')[2])
  })

  it('is made once when two attempts begin at the same time', async () => {
    const configId = await store(undefined, writing('in.c-own.items'))
    const before = await tokenIds()
    const execution = newExecution()
    const input = { componentId: 'ex-generic-v2', configId, overlap: 'wait' as const }
    await Promise.all([1, 2, 3].map(() => extraction.advance('begin', execution, input)))
    expect((await tokenIds()).length).toBe(before.length + 1)
    expect((await extraction.run(configId, { execution })).end.result).toMatchObject({ status: 'success' })
    expect(await tokenIds()).toEqual(before)
  })

  it('of a run that was stopped by hand is deleted by the next run of the configuration', async () => {
    const { configId, id } = await begun()
    await extraction.run(configId)
    expect(await tokenIds()).not.toContain(id)
  })
})
