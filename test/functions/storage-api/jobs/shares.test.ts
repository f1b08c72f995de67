import { beforeEach, describe, expect, it } from 'vitest'
import { runJob } from '#functions/run-job/run-job.ts'
import { startOpenJobs } from '#functions/start-open-jobs/start-open-jobs.ts'
import { asFunction } from '#support/guard-writes.ts'
import { withStorage } from '#support/storage-service.ts'

const SHARE = 3

let now = Date.now()
const service = await withStorage({
  now: () => new Date(now),
  isRunningJobs: false,
  jobWaitMs: 0,
  shareLimits: { jobsPerToken: SHARE, runsPerToken: 2, jobsPerProject: 100, runsPerProject: 100 },
})
await service.createBucket('main')
const fileId = await service.upload('id\n1\n')
const started = service.startedJobs

beforeEach(() => {
  started.length = 0
})

let tables = 0
const newToken = async (settings: object = {}): Promise<string> =>
  (
    await service.call('POST', '/v2/storage/tokens', {
      bucketPermissions: { 'in.c-main': 'write' },
      canReadAllFileUploads: true,
      ...settings,
    })
  ).body.token

/** Accepts the creation of a table of its own. */
const load = async (token: string): Promise<number> => {
  const body = { name: `t${++tables}`, dataFileId: fileId }
  const made = await service.call('POST', '/v2/storage/buckets/in.c-main/tables-async', body, {
    'X-StorageApi-Token': token,
  })
  expect(made.status).toBe(202)
  return Number(made.body.id)
}

const flood = async (token: string, jobs: number): Promise<number[]> => {
  const ids: number[] = []
  for (let sent = 0; sent < jobs; sent++) ids.push(await load(token))
  return ids
}

const run = (jobId: number) => asFunction('run-job', () => runJob({ jobId }, service.jobServices))
const statusOf = async (jobId: number) => (await service.stores.jobs.get(jobId))?.status

describe('the share of a token', () => {
  it('is so many jobs under way: those of another token begin at once, whatever waits', async () => {
    const flooded = await flood(await newToken(), 30)
    expect(started).toEqual(flooded.slice(0, SHARE))
    const other = await load(await newToken())
    // In turns: before the other one as many begin as are in a share, and not thirty.
    expect(started.indexOf(other)).toBe(SHARE)
  })

  it('lets the next one begin when one has ended, until all are done', async () => {
    const token = await newToken()
    const all = await flood(token, 8)
    for (let turn = 0; turn < started.length; turn++) {
      const open = started.length - turn
      expect(open).toBeLessThanOrEqual(SHARE)
      expect(await run(started[turn] ?? 0)).toMatchObject({ status: 'done' })
    }
    expect(started).toEqual(all)
    for (const id of all) expect(await statusOf(id)).toBe('success')
  })

  it('is told in an event, once for all that wait', async () => {
    const token = await newToken()
    const all = await flood(token, 6)
    const { body } = await service.call('GET', '/v2/storage/events?q=storage.jobWaitsForShare', undefined, {
      'X-StorageApi-Token': token,
    })
    expect(body).toHaveLength(1)
    expect(body[0].message).toBe(
      `3 jobs of this token are under way, which is its share. The job ${all[SHARE]} and those after it wait until some of them have ended.`,
    )
  })

  it('holds for a job that somebody starts too early: its machine waits', async () => {
    const all = await flood(await newToken(), 5)
    const last = all.at(-1) ?? 0
    expect(await run(last)).toEqual({ status: 'blocked', waitSeconds: expect.any(Number) })
    expect(await statusOf(last)).toBe('waiting')
  })

  it('is of runs apart from other jobs', async () => {
    const token = await newToken({ componentAccess: ['ex-generic-v2'] })
    await service.call('POST', '/v2/storage/components/ex-generic-v2/configs', {
      configurationId: 'shop',
      name: 'shop',
    })
    const runs: number[] = []
    for (let sent = 0; sent < 4; sent++) {
      const path = '/v2/storage/components/ex-generic-v2/configs/shop/run'
      const { body } = await service.call('POST', path, {}, { 'X-StorageApi-Token': token })
      runs.push(Number(body.id))
    }
    expect(started).toEqual(runs.slice(0, 2))
    const own = await load(token)
    expect(started.at(-1)).toBe(own)
  })

  it('does not bound the operator, whose token loads the landing bucket', async () => {
    const all = await flood(service.token, 6)
    expect(started).toEqual(all)
  })

  it('comes back by the clock when whoever was to start the next died', async () => {
    const all = await flood(await newToken(), 5)
    const [first = 0] = all
    const dying = { ...service.jobServices, startJob: () => Promise.reject(new Error('the process died')) }
    await asFunction('run-job', () => runJob({ jobId: first }, dying))
    expect(started).toEqual(all.slice(0, SHARE))
    now += 10_000
    await asFunction('start-open-jobs', () =>
      startOpenJobs({ ...service.jobServices, now: () => new Date(now) }),
    )
    expect(started).toContain(all[SHARE])
    expect(started).not.toContain(all[SHARE + 1])
  })

  it('is not used up by places that crashes left', async () => {
    const token = await newToken()
    const [first = 0, ...others] = await flood(token, 5)
    const job = await service.stores.jobs.get(first)
    await run(first)
    // As if the process had died between the end of the job and that of its place.
    if (job) await service.stores.jobs.shares.enter(job)
    started.length = 0
    now += 10_000
    await asFunction('start-open-jobs', () =>
      startOpenJobs({ ...service.jobServices, now: () => new Date(now) }),
    )
    expect(started).toContain(others[SHARE - 1])
  })
})
