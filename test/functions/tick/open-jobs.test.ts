import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runJob } from '#functions/run-job/run-job.ts'
import { tickEvent } from '#functions/tick/event.ts'
import { startOpenJobs } from '#functions/tick/open-jobs.ts'
import type { ItemTable } from '#lib/items/item-table.ts'
import { storeRun } from '#support/store-run.ts'
import { eventFile } from '../../support/events.ts'
import { executeJob } from '../../support/execute-job.ts'
import { asFunction } from '../../support/guard-writes.ts'
import { type StorageService, startStorageService } from '../../support/storage-service.ts'

const MINUTE_MS = 60_000

let service: StorageService
let now: Date
let started: number[]
/** Step Functions accepts nothing; as after a crash between storing a job and starting it. */
let isDown: boolean
/** Jobs that were read from the database. */
let jobsRead: number

const counted = (items: ItemTable): ItemTable => {
  const isJob = (pk: unknown): boolean => String(pk).startsWith('JOBS#')
  return {
    ...items,
    getMany: async keys => {
      const found = await items.getMany(keys)
      jobsRead += found.filter(({ pk }) => isJob(pk)).length
      return found
    },
    query: async function* (pk, range) {
      for await (const item of items.query(pk, range)) {
        jobsRead += isJob(pk) ? 1 : 0
        yield item
      }
    },
  }
}

beforeEach(async () => {
  now = new Date('2026-11-20T12:00:00Z')
  started = []
  isDown = false
  jobsRead = 0
  service = await startStorageService({
    items: counted,
    now: () => now,
    jobWaitMs: 0,
    startJob: async ({ id: jobId }) => {
      if (isDown) throw new Error('down')
      started.push(jobId)
      return 'running'
    },
  })
})

afterEach(async () => {
  await service?.close()
})

const accept = async (name: string): Promise<number> => {
  const dataFileId = await service.upload('id\n1\n')
  const { status, body } = await service.call('POST', '/v2/storage/buckets/in.c-main/tables-async', {
    name,
    dataFileId,
  })
  expect(status).toBe(202)
  return body.id
}

const pass = (milliseconds: number): void => {
  now = new Date(now.getTime() + milliseconds)
}

const look = () => asFunction('tick', () => startOpenJobs({ ...service.jobServices, now: () => now }))

it('rule 1: a run whose execution has ended without its end is closed at the next look, and the next one begins', async () => {
  const run = await storeRun(service.stores, { configId: 'gone', status: 'processing', startTime: now })
  const other = await storeRun(service.stores, { configId: 'on', status: 'processing', startTime: now })
  const closing: number[] = []
  const startJob: typeof service.jobServices.startJob = async ({ id }, failure) => {
    if (failure) closing.push(id)
    return id === run && !failure ? 'ended' : 'running'
  }
  await asFunction('tick', () => startOpenJobs({ ...service.jobServices, startJob, now: () => now }))
  expect(closing).toEqual([run])
  const next = await storeRun(service.stores, { configId: 'gone', status: 'waiting' })
  const failure = { Error: 'ExecutionGone', Cause: 'gone' }
  await asFunction('run-job', () => runJob({ jobId: run, failure }, service.jobServices))
  expect(await service.stores.jobs.get(run)).toMatchObject({ error: { code: 'internalError' } })
  expect((await service.stores.jobs.get(other))?.status).toBe('processing')
  expect(started).toEqual([next])
  // Who cancelled it has stopped its execution, and died.
  await service.stores.jobs.wishEnd(other, 'somebody', [])
  await asFunction('run-job', () => runJob({ jobId: other, failure }, service.jobServices))
  expect(await service.stores.jobs.get(other)).toMatchObject({ error: { code: 'storage.jobs.cancelled' } })
})

describe('a job that was stored and not started', () => {
  it('is started by the clock, though nobody asks for it, and does its work', async () => {
    await service.createBucket('main')
    isDown = true
    const jobId = await accept('orders')
    isDown = false
    pass(MINUTE_MS)
    expect(await look()).toMatchObject({ openJobs: 1 })
    expect(started).toEqual([jobId])
    await executeJob(jobId, service.jobServices)
    expect(await service.stores.jobs.get(jobId)).toMatchObject({ status: 'success' })
    expect(await look()).toEqual({ openJobs: 0, oldestWaitingSeconds: 0 })
  })

  it('comes before one that was accepted after it, which it starts when it has ended', async () => {
    await service.createBucket('main')
    isDown = true
    const first = await accept('orders')
    pass(1000)
    const second = await accept('orders')
    pass(1000)
    const other = await accept('others')
    isDown = false
    pass(MINUTE_MS)
    await look()
    expect(started).toEqual([first, other])
    await executeJob(first, service.jobServices)
    expect(started.at(-1)).toBe(second)
    await executeJob(second, service.jobServices)
    expect(await service.stores.jobs.get(second)).toMatchObject({
      status: 'error',
      error: { code: 'storage.buckets.tableAlreadyExists' },
    })
  })

  it('is found however old it is', async () => {
    await service.createBucket('main')
    isDown = true
    const jobId = await accept('orders')
    isDown = false
    pass(90 * 24 * 60 * MINUTE_MS)
    await look()
    expect(started).toEqual([jobId])
  })

  it('does not keep others from being started when it cannot be', async () => {
    await service.createBucket('main')
    isDown = true
    await accept('a')
    await accept('b')
    pass(MINUTE_MS)
    expect(await look()).toMatchObject({ openJobs: 2 })
    expect(service.logged.filter(({ message }) => message === 'job not started')).toHaveLength(4)
  })
})

const error = { code: 'internalError', message: '', exceptionId: '', contextParams: {} }

/** Accepts a job for each second from now on, every hundredth of which stays open, and lets the time pass. */
const acceptJobs = async (seconds: number, queueTableId: string | null = null): Promise<number[]> => {
  const open: number[] = []
  for (let second = 0; second < seconds; second++) {
    const job = await service.stores.jobs.accept(id => ({
      id,
      status: 'waiting',
      input: { operationName: 'fileDelete', fileId: 1 },
      queueTableId,
      tableId: null,
      operationParams: {},
      createdTime: now.toISOString(),
      runId: null,
      creatorToken: { id: '1', description: 'test' },
      baseUrl: 'http://storage.test',
    }))
    if (queueTableId !== null || second % 100 === 50) open.push(job.id)
    else await service.stores.jobs.fail(job, now, { error })
    pass(1000)
  }
  return open
}

/** What a look has started, in the order of the ids. */
const startedBy = async (): Promise<number[]> => {
  started.splice(0)
  await look()
  return started.splice(0).toSorted((a, b) => a - b)
}

describe('a look', () => {
  it('reads the jobs that are open, however many there were before and whatever the clock said', async () => {
    const open = await acceptJobs(300)
    pass(5 * MINUTE_MS)
    for (const later of [0, 50 * 60 * MINUTE_MS, -10 * 60 * MINUTE_MS]) {
      pass(later)
      jobsRead = 0
      expect(await startedBy()).toEqual(open)
      expect(jobsRead).toBe(open.length)
    }
  })

  it('reads the first of those that wait for one table, and counts them all', async () => {
    const [first = 0] = await acceptJobs(40, 'in.c-main.orders')
    pass(MINUTE_MS)
    jobsRead = 0
    started.splice(0)
    const { openJobs, oldestWaitingSeconds } = await look()
    expect([started, jobsRead, openJobs]).toEqual([[first], 1, 40])
    expect(oldestWaitingSeconds).toBe(100)
  })

  it('counts no run as waiting that waits for another one of its configuration', async () => {
    const startTime = now
    await storeRun(service.stores, { configId: 'long', status: 'processing', startTime })
    await storeRun(service.stores, { configId: 'long', status: 'waiting', startTime })
    pass(MINUTE_MS)
    expect(await look()).toEqual({ openJobs: 2, oldestWaitingSeconds: 0 })
    await storeRun(service.stores, { configId: 'unstarted', status: 'waiting', startTime: now })
    pass(MINUTE_MS)
    expect(await look()).toEqual({ openJobs: 3, oldestWaitingSeconds: 60 })
  })

  it('no longer finds a job that is over', async () => {
    const [jobId = 0] = await acceptJobs(51)
    pass(5 * MINUTE_MS)
    expect(await startedBy()).toEqual([jobId])
    const job = await service.stores.jobs.get(jobId)
    if (!job) throw new Error('The job is gone')
    await service.stores.jobs.fail(job, now, { error })
    expect(await look()).toEqual({ openJobs: 0, oldestWaitingSeconds: 0 })
  })

  it('rule 1, nothing depends on being told: whatever became of its execution, an open job is found until it has ended', async () => {
    const [jobId = 0] = await acceptJobs(51)
    pass(5 * MINUTE_MS)
    for (let minute = 0; minute < 3; minute++) expect(await startedBy()).toEqual([jobId])
    const job = await service.stores.jobs.get(jobId)
    if (job?.status !== 'waiting') throw new Error('It was made so')
    await service.stores.jobs.begin(job, now)
    expect(await startedBy()).toEqual([])
    pass(20 * MINUTE_MS)
    expect(await startedBy()).toEqual([jobId])
  })
})

it('takes what the schedule sends', () => {
  expect(tickEvent.safeParse(eventFile('tick/minute.json')).success).toBe(true)
})
