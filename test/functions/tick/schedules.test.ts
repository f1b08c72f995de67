import { beforeEach, describe, expect, it } from 'vitest'
import { fireSchedules } from '#functions/tick/due-schedules.ts'
import { asFunction } from '#support/guard-writes.ts'
import { withStorage } from '#support/storage-service.ts'

const COMPONENT = 'ex-generic-v2'
let now = new Date('2026-11-20T12:00:30Z')
const started: number[] = []
const service = await withStorage({ now: () => now, isRunningJobs: false, jobWaitMs: 0 })

const look = async () =>
  asFunction('tick', () =>
    fireSchedules({
      ...service.jobServices,
      startJob: async ({ id: jobId }) => {
        started.push(jobId)
        return 'running'
      },
      baseUrl: 'http://storage.test',
      runnableComponents: [COMPONENT],
    }),
  )
const at = (time: string) => {
  now = new Date(`2026-11-20T${time}Z`)
}
const create = async (
  componentId: string,
  configuration: object,
  configurationId?: string,
): Promise<string> => {
  const body = { name: 'c', configuration, ...(configurationId && { configurationId }) }
  return (await service.call('POST', `/v2/storage/components/${componentId}/configs`, body)).body.id
}
const scheduler = (target: object, schedule: object = {}) =>
  create('keboola.scheduler', {
    schedule: { cronTab: '*/5 * * * *', timezone: 'UTC', state: 'enabled', ...schedule },
    target: { componentId: COMPONENT, mode: 'run', ...target },
  })
const activate = (configurationId: string, headers = {}) =>
  service.call('POST', '/scheduler/schedules', { configurationId }, headers)
const list = async () => (await service.call('GET', '/scheduler/schedules')).body

beforeEach(async () => {
  at('12:00:30')
  started.length = 0
  for (const { id } of await list()) await service.call('DELETE', `/scheduler/schedules/${id}`)
})

describe('a schedule of the scheduler', () => {
  it('counts when it is activated, and runs its target when it is due', async () => {
    const target = await create(COMPONENT, {})
    const configurationId = await scheduler({ configurationId: target })
    expect(await list()).toEqual([])
    const { status, body } = await activate(configurationId)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      tokenId: '42',
      configurationId,
      configurationVersionId: '1',
      schedule: { cronTab: '*/5 * * * *', timezone: 'UTC', state: 'enabled' },
      target: { componentId: COMPONENT, configurationId: target, mode: 'run' },
      executions: [],
      // It has nothing to do yet.
      warnings: [{ place: 'configuration.schedule', message: expect.stringContaining('config.jobs') }],
    })
    expect(await look()).toEqual({ schedules: [] })

    at('12:05:10')
    expect(await look()).toEqual({ schedules: [Number(body.id)] })
    expect(await look()).toEqual({ schedules: [] })
    const { body: job } = await service.call('GET', `/v2/storage/jobs/${started[0]}`)
    expect(job).toMatchObject({
      operationName: 'configurationRun',
      operationParams: { componentId: COMPONENT, configId: target, scheduleId: Number(body.id) },
      creatorToken: { id: '42' },
    })
    expect((await service.call('GET', `/scheduler/schedules/${body.id}`)).body.executions).toEqual([
      { jobId: String(started[0]), executionTime: '2026-11-20T12:05:00+0000' },
    ])
  })

  it('gives its runs no more than those may that stored it, whoever activates it or refreshes its token', async () => {
    const settings = { componentAccess: [COMPONENT, 'keboola.scheduler'] }
    const { body: weak } = await service.call('POST', '/v2/storage/tokens', settings)
    const stored = {
      name: 'c',
      configuration: {
        schedule: { cronTab: '*/5 * * * *' },
        target: { componentId: COMPONENT, configurationId: await create(COMPONENT, {}) },
      },
    }
    const path = '/v2/storage/components/keboola.scheduler/configs'
    const { body } = await service.call('POST', path, stored, { 'X-StorageApi-Token': weak.token })
    const { body: schedule } = await activate(body.id)
    await service.call('POST', `/scheduler/schedules/${schedule.id}/refreshToken`)
    at('12:05:10')
    await look()
    const job = await service.stores.jobs.get(started[0] ?? 0)
    expect(job).toMatchObject({ creatorToken: { id: '42' }, input: { tokenIds: [weak.id] } })
  })

  it('makes one run of a moment, with one event, whoever looks at the same time', async () => {
    const target = await create(COMPONENT, {})
    const { body } = await activate(await scheduler({ configurationId: target }))
    at('12:05:10')
    await Promise.all([look(), look(), look()])
    expect(started).toHaveLength(1)
    const { executions } = (await service.stores.schedules.get(Number(body.id))) ?? {}
    expect(executions).toEqual([{ jobId: String(started[0]), executionTime: '2026-11-20T12:05:00.000Z' }])
    const jobs = await Array.fromAsync(service.stores.jobs.list())
    expect(jobs.filter(({ input }) => 'configId' in input && input.configId === target)).toHaveLength(1)
    const events = await Array.fromAsync(service.stores.events.list())
    expect(events.filter(({ event }) => event === `ext.${COMPONENT}.${target}`)).toHaveLength(1)
  })

  it('activated again replaces what counted before', async () => {
    const target = await create(COMPONENT, {})
    const configurationId = await scheduler({ configurationId: target })
    const { body: first } = await activate(configurationId)
    const path = `/v2/storage/components/keboola.scheduler/configs/${configurationId}`
    const { body: stored } = await service.call('GET', path)
    const changed = {
      ...stored.configuration,
      schedule: { ...stored.configuration.schedule, state: 'disabled' },
    }
    await service.call('PUT', path, { configuration: changed })
    expect((await list())[0].schedule.state).toBe('enabled')
    const { body: second } = await activate(configurationId)
    expect(second).toMatchObject({
      id: first.id,
      configurationVersionId: '2',
      schedule: { state: 'disabled' },
    })
    at('12:05:10')
    expect(await look()).toEqual({ schedules: [] })
  })

  it('ends with its configuration, whoever deleted that', async () => {
    const configurationId = await scheduler({ configurationId: await create(COMPONENT, {}) })
    await activate(configurationId)
    await service.call('DELETE', `/v2/storage/components/keboola.scheduler/configs/${configurationId}`)
    at('12:05:10')
    expect(await look()).toEqual({ schedules: [] })
    expect(await list()).toEqual([])
    expect((await service.call('DELETE', `/scheduler/configurations/${configurationId}`)).status).toBe(204)
  })

  it('says in an event why it started no run', async () => {
    const { body } = await activate(await scheduler({ configurationId: 'none' }))
    at('12:05:10')
    expect(await look()).toEqual({ schedules: [Number(body.id)] })
    const events = (await service.call('GET', '/v2/storage/events?configurationId=none')).body
    expect(events[0]).toMatchObject({
      type: 'error',
      message: expect.stringMatching(
        /started no run, though it was due at .*: the configuration none does not/,
      ),
    })
  })

  it('runs with the token that refreshed it last', async () => {
    const { body } = await activate(await scheduler({ configurationId: await create(COMPONENT, {}) }))
    const { body: token } = await service.call('POST', '/v2/storage/tokens', {
      description: 'manager',
      canManageBuckets: true,
    })
    const asManager = { 'X-StorageApi-Token': token.token }
    const path = `/scheduler/schedules/${body.id}/refreshToken`
    expect((await service.call('POST', path, undefined, asManager)).body.tokenId).toBe(token.id)
  })

  it('is changed by none but those whose runs they are, who stored it, or who manage all buckets', async () => {
    const { body } = await activate(await scheduler({ configurationId: await create(COMPONENT, {}) }))
    const { body: token } = await service.call('POST', '/v2/storage/tokens', {
      description: 'narrow',
      componentAccess: [COMPONENT, 'keboola.scheduler'],
    })
    const asNarrow = { 'X-StorageApi-Token': token.token }
    for (const [method, path] of [
      ['POST', `/scheduler/schedules/${body.id}/refreshToken`],
      ['DELETE', `/scheduler/schedules/${body.id}`],
      ['DELETE', `/scheduler/configurations/${body.configurationId}`],
    ] as const)
      expect([path, (await service.call(method, path, undefined, asNarrow)).status]).toEqual([path, 403])
    expect((await activate(body.configurationId, asNarrow)).status).toBe(403)
    const { body: kept } = await service.call('GET', `/scheduler/schedules/${body.id}`)
    expect(kept.tokenId).toBe(body.tokenId)
  })

  it.each([
    ['no cron tab', {}, { cronTab: '5 fields' }],
    ['no time zone', {}, { timezone: 'Nowhere/Town' }],
    ['a choice of rows', { configurationRowIds: ['1'] }, {}],
    ['a choice of variables', { variableValuesId: '1' }, {}],
  ])('is refused with %s', async (_, target, schedule) => {
    const { body } = await activate(await scheduler({ configurationId: 'x', ...target }, schedule))
    expect(body).toMatchObject({ code: 400, error: expect.stringMatching(/schedule/) })
  })
})
