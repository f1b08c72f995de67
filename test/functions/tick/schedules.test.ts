import { beforeEach, describe, expect, it } from 'vitest'
import { schedulesOfService, startDueRuns } from '#functions/tick/due-schedules.ts'
import { asFunction } from '#support/guard-writes.ts'
import { withStorage } from '#support/storage-service.ts'

const COMPONENT = 'ex-generic-v2'
let now = new Date('2026-11-20T12:00:30Z')
const started = new Map<string, Record<string, unknown>>()
const service = await withStorage({ now: () => now, isRunningJobs: false, jobWaitMs: 0 })

/** The runs that a minute starts. An execution that starts one asks the service for its job. */
const look = async () => {
  const { started: names } = await asFunction('tick', () =>
    startDueRuns(now, schedulesOfService(service.stores, [COMPONENT]), {
      storage: { postEvent: async () => {} },
      startRun: async (name, input) => {
        if (!started.has(name)) started.set(name, input)
      },
      log: { warn: () => {}, error: () => {} },
    }),
  )
  return names.length
}
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
  started.clear()
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
    expect(await look()).toBe(0)

    at('12:05:10')
    await look()
    const [input] = started.values()
    const trigger = `schedule ${body.id}, due 2026-11-20T12:05:00.000Z`
    expect(input).toEqual({
      componentId: COMPONENT,
      configId: target,
      overlap: 'wait',
      tokenIds: ['42'],
      trigger,
    })
    const run = `/v2/storage/components/${COMPONENT}/configs/${target}/run`
    const { body: job } = await service.call('POST', run, { trigger })
    const { body: shown } = await service.call('GET', `/scheduler/schedules/${body.id}`)
    expect(shown).toMatchObject({
      executions: [{ jobId: String(job.id), executionTime: '2026-11-20T12:05:10+0000' }],
      lastTime: '2026-11-20T12:05:00+0000',
    })
    expect(shown.nextTimes[0]).toBe('2026-11-20T12:10:00+0000')
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
    expect([...started.values()]).toMatchObject([{ tokenIds: ['42', weak.id] }])
  })

  it('makes one run of a moment, whoever looks at the same time or again', async () => {
    await activate(await scheduler({ configurationId: await create(COMPONENT, {}) }))
    at('12:05:10')
    await Promise.all([look(), look(), look()])
    at('12:09:10')
    await look()
    expect(started.size).toBe(1)
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
    expect(await look()).toBe(0)
  })

  it('ends with its configuration, whoever deleted that', async () => {
    const configurationId = await scheduler({ configurationId: await create(COMPONENT, {}) })
    await activate(configurationId)
    await service.call('DELETE', `/v2/storage/components/keboola.scheduler/configs/${configurationId}`)
    at('12:05:10')
    expect(await look()).toBe(0)
    expect(await list()).toEqual([])
    expect((await service.call('DELETE', `/scheduler/configurations/${configurationId}`)).status).toBe(204)
  })

  it('runs no target that is disabled', async () => {
    const target = await create(COMPONENT, {})
    await activate(await scheduler({ configurationId: target }))
    const path = `/v2/storage/components/${COMPONENT}/configs/${target}`
    await service.call('PUT', path, { isDisabled: true })
    at('12:05:10')
    expect(await look()).toBe(0)
    await service.call('PUT', path, { isDisabled: false })
    at('12:10:10')
    expect(await look()).toBe(1)
  })

  it('by a key of the configuration itself is listed, too, and is changed there', async () => {
    const target = await create(COMPONENT, { schedule: 'rate(1 hour)' })
    const [listed] = await list()
    expect(listed).toMatchObject({
      configurationId: target,
      schedule: { cronTab: 'rate(1 hour)', timezone: 'UTC', state: 'enabled' },
      target: { componentId: COMPONENT, configurationId: target, mode: 'run' },
    })
    const reply = await service.call('DELETE', `/scheduler/schedules/${listed.id}`)
    expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining('key "schedule"')])
    at('13:00:10')
    await look()
    expect([...started.values()]).toMatchObject([{ configId: target, overlap: 'skip' }])
    await service.call('DELETE', `/v2/storage/components/${COMPONENT}/configs/${target}`)
    expect(await list()).toEqual([])
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
