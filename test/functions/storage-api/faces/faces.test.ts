import { describe, expect, it } from 'vitest'
import { createOpener } from '#lib/storage/secrets/create-opener.ts'
import { withStorage } from '#support/storage-service.ts'
import { storeRun } from '#support/store-run.ts'

const COMPONENT = 'ex-generic-v2'

const service = await withStorage({
  extractRuns: {
    start: async () => {},
    describe: async jobId => ({
      status: 'error',
      code: 'extractor.config',
      message: `The run ${jobId} failed.`,
    }),
  },
})

/** Its machine starts nothing by itself. */
const busy = await withStorage({ jobWaitMs: 0, isRunningJobs: false })
const { call } = service
const noToken = { 'X-StorageApi-Token': '' }
const createConfiguration = async (componentId: string, configuration: object): Promise<string> =>
  (await call('POST', `/v2/storage/components/${componentId}/configs`, { name: 'c', configuration })).body.id
const narrow = async (): Promise<Record<string, string>> => {
  const { body } = await call('POST', '/v2/storage/tokens', {
    description: 'narrow',
    componentAccess: ['wr-db'],
  })
  return { 'X-StorageApi-Token': body.token }
}

it('an error of a face has a code that is a number, and other errors have a name', async () => {
  expect((await call('GET', '/queue/jobs/12')).body).toMatchObject({ code: 404, error: 'Job "12" not found' })
  expect((await call('GET', '/queue/nothing')).body).toMatchObject({ code: 404 })
  expect((await call('GET', '/scheduler/schedules', undefined, noToken)).body.code).toBe(401)
  expect((await call('GET', '/v2/storage/jobs/12')).body.code).toBe('storage.jobs.notFound')
})

it('a face answers at a host of its own', async () => {
  const headers = { 'X-StorageApi-Token': service.token }
  const at = (url: string) => service.fetchReply(new Request(url, { headers }))
  expect((await at('http://scheduler.storage.test/schedules')).body).toEqual([])
  expect((await at('http://queue.storage.test/search/jobs')).body).toEqual([])
})

describe('encryption', () => {
  const encrypt = (query: string, body: unknown) =>
    call('POST', `/encryption/encrypt?${query}`, body, noToken)
  const open = async (sealed: unknown, componentId: string, configId: string) =>
    createOpener(service.keys)(sealed, { projectId: 7, componentId, configId })

  it('seals flat and deep secrets without a token, for every configuration of the component', async () => {
    const given = { '#parameters.config.#token': 'abc', deep: [{ '#pin': 'def' }], plain: 'ghi' }
    const { status, body } = await encrypt(`componentId=${COMPONENT}&projectId=7`, given)
    expect(status).toBe(200)
    expect(JSON.stringify(body)).not.toMatch(/abc|def/)
    expect(body.plain).toBe('ghi')
    expect(await open(body, COMPONENT, 'any')).toEqual(given)
  })

  it('seals a bare text', async () => {
    const { body } = await encrypt(`componentId=${COMPONENT}`, '"abc"')
    expect(body).toMatch(/^KBC::ProjectSecure::/)
    expect(await open({ '#a': body }, COMPONENT, 'any')).toEqual({ '#a': 'abc' })
  })

  it.each([
    ['another component', `componentId=${COMPONENT}`, 'wr-db', 'shop'],
    ['another project', `componentId=${COMPONENT}&projectId=8`, COMPONENT, 'shop'],
    [
      'another configuration, when one is named',
      `componentId=${COMPONENT}&configId=shop`,
      COMPONENT,
      'other',
    ],
  ])('opens nothing for %s', async (_, query, componentId, configId) => {
    const { body } = await encrypt(query, { '#a': 'abc' })
    await expect(open(body, componentId, configId)).rejects.toMatchObject({ code: 'secrets.notOpened' })
  })

  it.each([
    ['no component', 'projectId=7', '{}'],
    ['what is no JSON', `componentId=${COMPONENT}`, '{'],
    ['no body', `componentId=${COMPONENT}`, undefined],
  ])('refuses %s', async (_, query, body) => {
    expect((await encrypt(query, body)).body).toMatchObject({ code: 400 })
  })
})

describe('queue', () => {
  const run = async (body: object) => call('POST', '/queue/jobs', body)

  it('runs a configuration, and says how the run ended', async () => {
    const config = await createConfiguration(COMPONENT, {})
    const { status, body } = await run({ component: COMPONENT, config, mode: 'run', branchId: 1 })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      id: expect.stringMatching(/^\d+$/),
      component: COMPONENT,
      config,
      branchId: 1,
    })
    await service.jobsEnded()
    expect((await call('GET', `/queue/jobs/${body.id}`)).body).toMatchObject({
      id: body.id,
      status: 'error',
      isFinished: true,
      url: `http://storage.test/queue/jobs/${body.id}`,
      result: { message: `The run ${body.id} failed.`, error: { code: 'extractor.config' } },
    })
  })

  it('lists runs under the ids of their jobs', async () => {
    const ids = [
      await storeRun(service.stores, { configId: 'listed' }),
      await storeRun(service.stores, { configId: 'listed', trigger: 'schedule nightly' }),
    ]
    const { body } = await call('GET', '/queue/search/jobs?config=listed&status=success&branchId=1')
    expect(body.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed().map(String))
    expect((await call('GET', '/queue/search/jobs?config=listed&status[]=error')).body).toEqual([])
  })

  it('lists the newest runs of each configuration', async () => {
    const ids: string[] = []
    for (const configId of ['daily', 'hourly', 'daily', 'daily'])
      ids.push(String(await storeRun(service.stores, { configId })))
    const path = '/queue/search/grouped-jobs'
    const asked = 'groupBy[]=componentId&groupBy[]=configId&jobsPerGroup=2&limit=2&sortOrder=desc'
    const { body } = await call('GET', `${path}?${asked}`)
    expect(body).toEqual([
      {
        group: { componentId: COMPONENT, configId: 'daily' },
        jobs: [expect.objectContaining({ id: ids[3] }), expect.objectContaining({ id: ids[2] })],
      },
      {
        group: { componentId: COMPONENT, configId: 'hourly' },
        jobs: [expect.objectContaining({ id: ids[1], config: 'hourly' })],
      },
    ])
    expect((await call('GET', path, undefined, await narrow())).body).toEqual([])
    expect((await call('GET', `${path}?groupBy[]=branchId`)).status).toBe(400)
  })

  it('lists runs that wait before those that have begun', async () => {
    const componentAccess = [COMPONENT, 'wr-db']
    const { token } = (await busy.call('POST', '/v2/storage/tokens', { componentAccess })).body
    const headers = { 'X-StorageApi-Token': token }
    const { id: config } = (
      await busy.call('POST', `/v2/storage/components/${COMPONENT}/configs`, { name: 'c' })
    ).body
    const ids: string[] = []
    for (let count = 0; count < 3; count++)
      ids.push((await busy.call('POST', '/queue/jobs', { component: COMPONENT, config }, headers)).body.id)
    const first = await busy.stores.jobs.get(Number(ids[0]))
    if (first?.status === 'waiting') await busy.stores.jobs.begin(first, new Date())
    const search = async (query: string, as = headers) =>
      (await busy.call('GET', `/queue/search/jobs?${query}`, undefined, as)).body.map(
        ({ id, status }: { id: string; status: string }) => [id, status],
      )
    const [begun, next, last] = ids
    expect(await search(`config=${config}&branchId=default`)).toEqual([
      [last, 'waiting'],
      [next, 'waiting'],
      [begun, 'processing'],
    ])
    expect(await search('offset=1&limit=1')).toEqual([[next, 'waiting']])
    expect(await search('offset=2')).toEqual([[begun, 'processing']])
    expect(await search('status=waiting&limit=1')).toEqual([[last, 'waiting']])
    expect(await search('status=processing')).toEqual([[begun, 'processing']])
    expect(await search('config=other')).toEqual([])
    const others = (await busy.call('POST', '/v2/storage/tokens', { componentAccess: ['wr-db'] })).body
    expect(await search('', { 'X-StorageApi-Token': others.token })).toEqual([])
  })

  it.each(['configRowIds', 'configData', 'variableValuesData'])(
    'refuses %s: another run than the stored one',
    async field => {
      const config = await createConfiguration(COMPONENT, {})
      const { body } = await run({ component: COMPONENT, config, [field]: ['1'] })
      expect(body).toMatchObject({ code: 400, error: expect.stringContaining('not offered here') })
    },
  )

  it('runs nothing of a component that the token may not use', async () => {
    const config = await createConfiguration(COMPONENT, {})
    const reply = await call('POST', '/queue/jobs', { component: COMPONENT, config }, await narrow())
    expect(reply.status).toBe(403)
  })

  it('knows no jobs that are no runs', async () => {
    const tableId = await service.createTable(await service.createBucket('queue'), 't', 'id\n1\n')
    const [job] = (await call('GET', `/v2/storage/jobs?tableId=${tableId}`)).body
    const all = (await call('GET', '/v2/storage/jobs')).body
    const id = (job ?? all.find((each: { operationName: string }) => each.operationName === 'tableCreate')).id
    expect((await call('GET', `/queue/jobs/${id}`)).status).toBe(404)
  })
})
