import { expect, it } from 'vitest'
import { runJob } from '#functions/run-job/run-job.ts'
import { asFunction } from '#support/guard-writes.ts'
import { withStorage } from '#support/storage-service.ts'

const OF_TOKEN = 4
const OF_PROJECT = 6

const service = await withStorage({
  isRunningJobs: false,
  jobWaitMs: 0,
  shareLimits: {
    jobsPerToken: OF_TOKEN,
    jobsPerProject: OF_PROJECT,
    runsPerToken: OF_TOKEN,
    runsPerProject: OF_PROJECT,
  },
})
await service.createBucket('main')
const fileId = await service.upload('id\n1\n')
await service.call('POST', '/v2/storage/components/ex-generic-v2/configs', {
  configurationId: 'shop',
  name: 'shop',
})

const call = (token: string, method: string, path: string, body?: object) =>
  service.call(method, `/v2/storage/${path}`, body, { 'X-StorageApi-Token': token })

const newToken = async (): Promise<string> => {
  const settings = {
    bucketPermissions: { 'in.c-main': 'write' },
    canReadAllFileUploads: true,
    componentAccess: ['ex-generic-v2'],
  }
  return (await call(service.token, 'POST', 'tokens', settings)).body.token
}

let tables = 0
const load = (token: string) =>
  call(token, 'POST', 'buckets/in.c-main/tables-async', { name: `t${++tables}`, dataFileId: fileId })
const run = (token: string) => call(token, 'POST', 'components/ex-generic-v2/configs/shop/run', {})

const flood = async (token: string, send: typeof load, times: number): Promise<number[]> => {
  const ids: number[] = []
  for (let sent = 0; sent < times; sent++) ids.push(Number((await send(token)).body.id))
  return ids
}
const started = service.startedJobs
const end = (jobId: number) => asFunction('run-job', () => runJob({ jobId }, service.jobServices))
const openJobs = async () => {
  const jobs = await service.stores.jobs.getMany([...new Set(started)])
  return jobs.filter(({ status }) => status === 'waiting').map(({ id }) => id)
}

it('the share of the project bounds all tokens together, as those of many runs; each has its first job at once', async () => {
  const tokens = [await newToken(), await newToken(), await newToken()]
  const all: number[] = []
  for (const token of tokens) all.push(...(await flood(token, load, 10)))
  // The first of each, and as many others as are in the share of the project.
  expect(started).toHaveLength(tokens.length + OF_PROJECT)
  const [other = 0, second = 0] = await flood(await newToken(), load, 2)
  expect(started.at(-1)).toBe(other)
  expect(started).not.toContain(second)

  for (const token of tokens.slice(1)) {
    const { body } = await call(token, 'GET', 'events?q=storage.jobWaitsForShare')
    expect(body).toHaveLength(1)
  }
  const { body } = await call(tokens[2] ?? '', 'GET', 'events?q=storage.jobWaitsForShare')
  expect(body[0].message).toContain(`${OF_PROJECT} jobs of the project are under way`)

  for (let left = await openJobs(); left.length > 0; left = await openJobs()) {
    expect(left.length).toBeLessThanOrEqual(tokens.length + 1 + OF_PROJECT)
    await end(left[0] ?? 0)
  }
  expect(new Set(started)).toEqual(new Set([...all, other, second]))
})

it('a token that floods each kind of work leaves an import of another as many looks as it has alone', async () => {
  const alone = await newToken()
  started.length = 0
  await flood(alone, load, 1)
  const quiet = started.length
  await end(started[0] ?? 0)

  const flooder = await newToken()
  started.length = 0
  await flood(flooder, run, 30)
  await flood(flooder, load, 60)
  const exports = (token: string) => call(token, 'POST', 'tables/in.c-main.t1/export-async', {})
  await flood(flooder, exports, 30)
  const before = started.length
  const [own = 0] = await flood(alone, load, 1)
  expect(started.at(-1)).toBe(own)
  expect(started.length - before).toBe(quiet)
  // All that is under way before it takes its turns beside it, whatever waits.
  expect(before).toBeLessThanOrEqual(2 * OF_TOKEN)
})
