import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startOpenJobsEvent } from '#functions/start-open-jobs/handler.ts'
import { startOpenJobs } from '#functions/start-open-jobs/start-open-jobs.ts'
import type { ItemTable } from '#lib/items/item-table.ts'
import { createIdSource } from '#lib/storage/db/ids.ts'
import type { JobRecord } from '#lib/storage/jobs/job-record.ts'
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
/** How many writes of a look succeed before the process dies. */
let writesLeft: number

const counted = (items: ItemTable): ItemTable => {
  const isJob = (pk: unknown): boolean => /^JOBS#(?!MONTHS)/.test(String(pk))
  const write = (pk: string): void => {
    if (pk === 'OPEN_JOBS' && writesLeft-- <= 0) throw new Error('died')
  }
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
    put: async (key, attributes, when) => {
      write(key.pk)
      return items.put(key, attributes, when)
    },
    delete: async (key, when) => {
      write(key.pk)
      return items.delete(key, when)
    },
  }
}

beforeEach(async () => {
  now = new Date('2026-11-20T12:00:00Z')
  started = []
  isDown = false
  jobsRead = 0
  writesLeft = Number.POSITIVE_INFINITY
  service = await startStorageService({
    items: counted,
    now: () => now,
    jobWaitMs: 0,
    startJob: async jobId => {
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

const look = (atMost?: number) =>
  asFunction('start-open-jobs', () => startOpenJobs({ ...service.jobServices, now: () => now }, atMost))

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

  it('comes before one that was accepted after it, which it finds when it has ended', async () => {
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
    expect(await service.stores.jobs.get(second)).toMatchObject({
      status: 'error',
      error: { code: 'storage.buckets.tableAlreadyExists' },
    })
  })

  it('is found by the first look however old it is, as long as it is among the newest', async () => {
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

const idAt = (time: Date): number => createIdSource(() => time)()

/** A job that has the id of a time. */
const jobAt = (time: Date, status: 'waiting' | 'success', createdTime = time): JobRecord => {
  const accepted = {
    id: idAt(time),
    input: { operationName: 'fileDelete' as const, fileId: 1 },
    queueTableId: null,
    tableId: null,
    operationParams: {},
    createdTime: createdTime.toISOString(),
    runId: null,
    creatorToken: { id: '1', description: 'test' },
    baseUrl: 'http://storage.test',
    requestKey: null,
  }
  if (status === 'waiting') return { ...accepted, status }
  const metrics = {
    inCompressed: false,
    inBytes: 0,
    inBytesUncompressed: 0,
    outCompressed: false,
    outBytes: 0,
    outBytesUncompressed: 0,
  }
  return {
    ...accepted,
    status,
    startTime: accepted.createdTime,
    endTime: accepted.createdTime,
    results: null,
    metrics,
  }
}

/** Stores a job for each second from now on, every hundredth of which is open, and lets the time pass. */
const storeJobs = async (seconds: number, apartMs = 1000): Promise<number[]> => {
  const open: number[] = []
  for (let second = 0; second < seconds; second++) {
    const job = jobAt(now, second % 100 === 50 ? 'waiting' : 'success')
    if (job.status === 'waiting') open.push(job.id)
    await service.stores.jobs.insert(job)
    pass(apartMs)
  }
  return open
}

/** What a look has started, in the order of the ids. */
const startedBy = async (atMost?: number): Promise<number[]> => {
  started.splice(0)
  await look(atMost)
  return started.splice(0).toSorted((a, b) => a - b)
}

describe('a look', () => {
  it('reads the jobs that are open or new, however many there were before', async () => {
    const open = await storeJobs(600)
    pass(5 * MINUTE_MS)
    expect(await startedBy()).toEqual(open)
    jobsRead = 0
    expect(await startedBy()).toEqual(open)
    expect(jobsRead).toBe(open.length)
    for (let hour = 0; hour < 50; hour++) {
      pass(60 * MINUTE_MS)
      expect(await startedBy()).toEqual(open)
    }
    const later = await storeJobs(60)
    pass(5 * MINUTE_MS)
    jobsRead = 0
    expect(await startedBy()).toEqual([...open, ...later])
    expect(jobsRead).toBe(open.length + 60)
  })

  it('reads a part of very many open jobs, the next looks the others, and counts them all', async () => {
    const open: number[] = []
    for (let group = 0; group < 5; group++) {
      open.push(...(await storeJobs(60)))
      pass(5 * MINUTE_MS)
      await look()
    }
    expect(open).toHaveLength(5)
    const [a, b, c, d, e] = open
    jobsRead = 0
    expect(await startedBy(2)).toEqual([a, b])
    expect(jobsRead).toBe(2)
    expect(await startedBy(2)).toEqual([c, d])
    expect(await startedBy(2)).toEqual([a, e])
    expect(await startedBy(2)).toEqual([b, c])
    started.splice(0)
    const { openJobs, oldestWaitingSeconds } = await look(2)
    expect(openJobs).toBe(5)
    expect(oldestWaitingSeconds).toBeGreaterThan(5 * 5 * 60)
    expect(await startedBy()).toEqual(open)
    expect(await startedBy()).toEqual(open)
  })

  it('no longer keeps a job that is over', async () => {
    const [jobId = 0] = await storeJobs(51)
    pass(5 * MINUTE_MS)
    expect(await startedBy()).toEqual([jobId])
    expect(await service.stores.jobs.open.groups()).toHaveLength(1)
    const job = await service.stores.jobs.get(jobId)
    if (!job) throw new Error('The job is gone')
    const error = { code: 'internalError', message: '', exceptionId: '', contextParams: {} }
    await service.stores.jobs.fail(job, now, { error })
    expect(await look()).toMatchObject({ openJobs: 0 })
    expect(await service.stores.jobs.open.groups()).toEqual([])
  })

  it('finds every job after days without one, and after one that died at any write', async () => {
    await look()
    const open = await storeJobs(400, 11 * MINUTE_MS)
    for (let writes = 0; writes < 30; writes++) {
      writesLeft = writes
      await look().catch((error: Error) => expect(error.message).toBe('died'))
      writesLeft = Number.POSITIVE_INFINITY
      pass(1000)
    }
    expect(await startedBy()).toEqual(open)
    expect(await startedBy()).toEqual(open)
  })

  it('finds a job whose id is older than what was looked through', async () => {
    const early = now
    pass(20 * MINUTE_MS)
    await look()
    pass(MINUTE_MS)
    const late = jobAt(early, 'waiting', now)
    await service.stores.jobs.open.noteIfLate(late)
    await look()
    await service.stores.jobs.insert(late)
    pass(MINUTE_MS)
    expect(await startedBy()).toEqual([late.id])
    expect(await startedBy()).toEqual([late.id])
  })

  it('forgets a late job that was never stored', async () => {
    await service.stores.jobs.open.noteIfLate(jobAt(new Date(now.getTime() - 5 * MINUTE_MS), 'waiting', now))
    await look()
    expect(await service.stores.jobs.open.groups()).toHaveLength(1)
    pass(61 * MINUTE_MS)
    await look()
    expect(await service.stores.jobs.open.groups()).toEqual([])
  })

  it('finds new jobs after the clock was put back', async () => {
    await look()
    pass(-60 * MINUTE_MS)
    const open = await storeJobs(60)
    pass(5 * MINUTE_MS)
    expect(await startedBy()).toEqual(open)
  })

  it('keeps more open jobs than fit one item', async () => {
    const { open } = service.stores.jobs
    const ids = Array.from({ length: 20_001 }, (_, index) => index + 1)
    await open.settle({ from: 1, to: 30_000 }, ids)
    expect((await open.groups()).flatMap(group => group.ids)).toEqual(ids)
    expect(await open.through()).toBe(30_000)
  })
})

it('takes what the schedule sends', () => {
  expect(startOpenJobsEvent.safeParse(eventFile('start-open-jobs/minute.json')).success).toBe(true)
})
