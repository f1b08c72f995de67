import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startOpenJobs } from '#functions/tick/open-jobs.ts'
import { fireTriggers } from '#functions/tick/triggers.ts'
import { executeJob } from '../../support/execute-job.ts'
import { asFunction } from '../../support/guard-writes.ts'
import { type StorageService, startStorageService } from '../../support/storage-service.ts'

const MINUTE_MS = 60_000
const COMPONENT = 'ex-generic-v2'

let service: StorageService
let now: Date
/** Runs of configurations that began, each with whose rights it has. */
let runs: { jobId: number; configId: string; authorTokenId: string }[]
/** Jobs whose execution was started. The runs of configurations are done by the test. */
let started: number[]
let isMachineDown: boolean

beforeEach(async () => {
  now = new Date('2026-11-20T12:00:00Z')
  runs = []
  started = []
  isMachineDown = false
  service = await startStorageService({
    now: () => now,
    extractRuns: {
      start: async (jobId, { configId, authorTokenId }) => {
        if (!runs.some(run => run.jobId === jobId)) runs.push({ jobId, configId, authorTokenId })
      },
      describe: async () => ({ status: 'success', output: '{"rows": 1}' }),
    },
  })
  await service.createBucket('main')
  await service.call('POST', `/v2/storage/components/${COMPONENT}/configs`, {
    configurationId: 'shop',
    name: 'shop',
  })
})
afterEach(() => service?.close())

const pass = (milliseconds: number): void => {
  now = new Date(now.getTime() + milliseconds)
}
const call = async (method: string, path: string, body?: unknown) => {
  const reply = await service.call(method, `/v2/storage/${path}`, body)
  if (reply.status >= 400) throw new Error(`${method} ${path}: ${reply.text}`)
  return reply.body
}

const firingServices = () => ({
  ...service.jobServices,
  startJob: async ({ id: jobId }: { id: number }) => {
    if (isMachineDown) throw new Error('down')
    started.push(jobId)
    return 'running' as const
  },
  baseUrl: 'http://storage.test',
  runnableComponents: [COMPONENT],
})
/** What the function does each minute. */
const look = () => asFunction('tick', () => fireTriggers(firingServices()))
const runStarted = async () => {
  for (const jobId of new Set(started.splice(0))) await executeJob(jobId, service.jobServices)
}

const createTable = (name: string) => service.createTable('in.c-main', name, 'id\n1\n')
const load = async (tableId: string, content = 'id\n1\n') =>
  call('POST', `tables/${tableId}/import-async`, { dataFileId: await service.upload(content) })
const createTrigger = (settings: Record<string, unknown>) =>
  call('POST', 'triggers', {
    runWithTokenId: 42,
    component: COMPONENT,
    configurationId: 'shop',
    coolDownPeriodMinutes: 5,
    ...settings,
  })
const detail = async (trigger: { id: string }) => call('GET', `triggers/${trigger.id}`)
const eventsOfShop = async () => call('GET', `events?component=${COMPONENT}&configurationId=shop`)
const configurationRuns = async () =>
  (await call('GET', 'jobs')).filter(
    ({ operationName }: { operationName: string }) => operationName === 'configurationRun',
  )

describe('a trigger', () => {
  it('runs its configuration after an import, with the token that it names', async () => {
    const tableId = await createTable('orders')
    const token = await call('POST', 'tokens', { description: 'runs it', componentAccess: [COMPONENT] })
    const trigger = await createTrigger({ tableIds: [tableId], runWithTokenId: Number(token.id) })
    expect(trigger.lastRun).toBe('2026-11-20T12:00:00+0000')
    pass(5 * MINUTE_MS)
    expect(await look()).toEqual({ fired: [] })

    await load(tableId)
    expect(await look()).toEqual({ fired: [Number(trigger.id)] })
    await runStarted()
    const [job] = await configurationRuns()
    expect(job).toMatchObject({
      status: 'success',
      operationParams: {
        componentId: COMPONENT,
        configId: 'shop',
        version: 1,
        triggerId: Number(trigger.id),
      },
      creatorToken: { id: token.id, description: 'runs it' },
      results: { rows: 1 },
    })
    expect(runs).toEqual([{ jobId: job.id, configId: 'shop', authorTokenId: token.id }])
    expect((await detail(trigger)).lastRun).toBe('2026-11-20T12:05:00+0000')
    expect(await eventsOfShop()).toMatchObject([
      {
        type: 'info',
        message: expect.stringContaining(tableId),
        params: { triggerId: Number(trigger.id), tableIds: [tableId], jobId: job.id },
        token: { id: Number(token.id), name: 'runs it' },
      },
    ])
  })

  it('waits for its cool-down after it was made, and then answers an import in it', async () => {
    const tableId = await createTable('orders')
    await createTrigger({ tableIds: [tableId] })
    await load(tableId)
    expect(await look()).toEqual({ fired: [] })
    pass(5 * MINUTE_MS - 1)
    expect(await look()).toEqual({ fired: [] })
    pass(1)
    expect((await look()).fired).toHaveLength(1)
  })

  it('answers all imports of a cool-down with one run after it', async () => {
    const tableId = await createTable('orders')
    const other = await createTable('people')
    await createTrigger({ tableIds: [tableId, other] })
    pass(5 * MINUTE_MS)
    await load(tableId)
    expect((await look()).fired).toHaveLength(1)
    for (const id of [tableId, other, tableId]) {
      pass(MINUTE_MS)
      await load(id)
      expect(await look()).toEqual({ fired: [] })
    }
    pass(2 * MINUTE_MS)
    expect((await look()).fired).toHaveLength(1)
    pass(10 * MINUTE_MS)
    expect(await look()).toEqual({ fired: [] })
    expect(await configurationRuns()).toHaveLength(2)
  })

  it('fires after an import without rows, and after a table was made again', async () => {
    const tableId = await createTable('orders')
    await createTrigger({ tableIds: [tableId] })
    pass(5 * MINUTE_MS)
    await load(tableId, 'id\n')
    expect((await look()).fired).toHaveLength(1)
    await call('DELETE', `tables/${tableId}`)
    pass(5 * MINUTE_MS)
    expect(await look()).toEqual({ fired: [] })
    await createTable('orders')
    expect((await look()).fired).toHaveLength(1)
  })

  it('does not fire for other changes, nor for what happened before it watched a table', async () => {
    const tableId = await createTable('orders')
    const later = await createTable('people')
    const trigger = await createTrigger({ tableIds: [tableId] })
    pass(5 * MINUTE_MS)
    await call('POST', `tables/${tableId}/columns`, { name: 'note' })
    await call('DELETE', `tables/${tableId}/rows?allowTruncate=1`)
    await load(later)
    await call('PUT', `triggers/${trigger.id}`, { tableIds: [tableId, later] })
    expect(await look()).toEqual({ fired: [] })
    await load(later)
    expect((await look()).fired).toHaveLength(1)
  })

  it.each([
    ['a component that cannot be run', { component: 'orchestrator' }, 'orchestrator'],
    ['a configuration that does not exist', { configurationId: 'gone' }, COMPONENT],
  ])('of %s says so in an event, once for each import', async (_what, settings, component) => {
    const tableId = await createTable('orders')
    const trigger = await createTrigger({ tableIds: [tableId], ...settings })
    pass(5 * MINUTE_MS)
    await load(tableId)
    for (let times = 0; times < 3; times++) {
      await look()
      pass(5 * MINUTE_MS)
    }
    expect(await configurationRuns()).toEqual([])
    expect(await call('GET', `events?component=${component}`)).toMatchObject([
      {
        type: 'error',
        params: { triggerId: Number(trigger.id) },
        message: expect.stringContaining('no run'),
      },
    ])
  })

  it('that fails does not keep others from firing', async () => {
    const tableId = await createTable('orders')
    await createTrigger({ tableIds: [tableId] })
    const second = await createTrigger({ tableIds: [tableId], configurationId: 'gone' })
    pass(5 * MINUTE_MS)
    await load(tableId)
    const { configurations, ...services } = firingServices()
    const broken = {
      ...services,
      configurations: {
        ...configurations,
        get: (place: Parameters<typeof configurations.get>[0]) =>
          place.configId === 'shop' ? Promise.reject(new Error('broken')) : configurations.get(place),
      },
    }
    expect(await fireTriggers(broken)).toEqual({ fired: [Number(second.id)] })
    expect((await look()).fired).toHaveLength(1)
  })
})

describe('a process that dies between the end of an import and the start of the run', () => {
  /** The look of a process that dies at this call of a store. */
  const lookAndDie = (at: 'accepting' | 'startJob' | 'update' | 'telling') => {
    const services = firingServices()
    const dieAtOnce = () => {
      throw new Error('died')
    }
    const die = async () => dieAtOnce()
    return fireTriggers({
      ...services,
      ...(at === 'accepting' && { jobs: { ...services.jobs, accepting: dieAtOnce } }),
      ...(at === 'startJob' && { startJob: die }),
      ...(at === 'update' && { triggers: { ...services.triggers, update: die } }),
      ...(at === 'telling' && { events: { ...services.events, telling: dieAtOnce } }),
    })
  }
  const importedTable = async () => {
    const tableId = await createTable('orders')
    const trigger = await createTrigger({ tableIds: [tableId] })
    pass(5 * MINUTE_MS)
    await load(tableId)
    return trigger
  }

  it.each(['accepting', 'startJob', 'update', 'telling'] as const)(
    'once, twice or more often at "%s" loses no run and makes no second one',
    async at => {
      const trigger = await importedTable()
      for (let deaths = 0; deaths < 3; deaths++) {
        await lookAndDie(at)
        pass(MINUTE_MS)
      }
      await look()
      await startOpenJobs({ ...firingServices(), log: { error: () => {} } })
      await runStarted()
      pass(10 * MINUTE_MS)
      await look()
      await runStarted()
      const jobs = await configurationRuns()
      expect(jobs).toMatchObject([{ status: 'success', operationParams: { triggerId: Number(trigger.id) } }])
      expect(runs).toHaveLength(1)
      expect((await detail(trigger)).lastRun > trigger.lastRun).toBe(true)
    },
  )

  it('leaves a run that was not started to whoever looks after open jobs', async () => {
    await importedTable()
    isMachineDown = true
    expect((await look()).fired).toHaveLength(1)
    isMachineDown = false
    pass(MINUTE_MS)
    await startOpenJobs({ ...firingServices(), log: { error: () => {} } })
    await runStarted()
    expect(runs).toHaveLength(1)
  })

  it('loses nothing that was imported while another process fired', async () => {
    const tableId = await createTable('orders')
    const trigger = await createTrigger({ tableIds: [tableId] })
    pass(5 * MINUTE_MS)
    await load(tableId)
    const services = firingServices()
    // The import ends after the tables were read and before the trigger is written, with an earlier time than that.
    const slow = {
      ...services,
      triggers: {
        ...services.triggers,
        update: async (...given: Parameters<typeof services.triggers.update>) => {
          await load(tableId, 'id\n2\n')
          return services.triggers.update(...given)
        },
      },
    }
    expect((await fireTriggers(slow)).fired).toEqual([Number(trigger.id)])
    pass(5 * MINUTE_MS)
    expect((await look()).fired).toEqual([Number(trigger.id)])
    expect(await configurationRuns()).toHaveLength(2)
  })

  it('is no different from two processes that look at the same time', async () => {
    await importedTable()
    await Promise.all(Array.from({ length: 4 }, look))
    await runStarted()
    expect(await configurationRuns()).toHaveLength(1)
    expect(await eventsOfShop()).toHaveLength(1)
  })
})
