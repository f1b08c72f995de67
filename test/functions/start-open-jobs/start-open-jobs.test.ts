import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startOpenJobsEvent } from '#functions/start-open-jobs/event.ts'
import { RECENT, startOpenJobs } from '#functions/start-open-jobs/start-open-jobs.ts'
import { eventFile } from '../../support/events.ts'
import { executeJob } from '../../support/execute-job.ts'
import { type StorageService, startStorageService } from '../../support/storage-service.ts'

const MINUTE_MS = 60_000

let service: StorageService
let now: Date
let started: number[]
/** Step Functions accepts nothing; as after a crash between storing a job and starting it. */
let isDown: boolean

beforeEach(async () => {
  now = new Date('2026-11-20T12:00:00Z')
  started = []
  isDown = false
  service = await startStorageService({
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

const look = (lookBack = RECENT) => startOpenJobs({ ...service.jobServices, now: () => now }, lookBack)

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

  it('is found however old it is, as long as it is among the newest', async () => {
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

it('old jobs are not read again each minute', async () => {
  await service.createBucket('main')
  isDown = true
  const old = await accept('a')
  pass(RECENT.milliseconds + MINUTE_MS)
  const recent = await accept('b')
  isDown = false
  pass(MINUTE_MS)
  expect(await look({ ...RECENT, newest: 1 })).toMatchObject({ openJobs: 1 })
  expect(started).toEqual([recent])
  expect(started).not.toContain(old)
})

it('takes what the schedule sends', () => {
  expect(startOpenJobsEvent.safeParse(eventFile('start-open-jobs/minute.json')).success).toBe(true)
})
