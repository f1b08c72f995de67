import { beforeAll, describe, expect, it } from 'vitest'
import { withStorage } from '#support/storage-service.ts'

let now = new Date('2026-03-01T10:30:00Z')
const runs = [
  { name: 'b', status: 'FAILED', startDate: new Date('2026-03-01T12:01:00Z') },
  { name: 'a', status: 'SUCCEEDED', startDate: new Date('2026-03-01T11:59:00Z') },
  { name: 'old', status: 'SUCCEEDED', startDate: new Date('2026-02-01T00:00:00Z') },
] as const

const service = await withStorage({ now: () => now })
await service.call('POST', '/v2/storage/buckets', { stage: 'in', name: 'main' })
const load = async (content: string) =>
  service.call('POST', '/v2/storage/buckets/in.c-main/tables-async', {
    name: `orders_${content.length}`,
    dataFileId: await service.upload(content),
  })
await load('id\n1\n2\n')
beforeAll(async () => {
  for (const run of runs) await service.stores.runs.end(run)
  now = new Date('2026-03-01T12:05:00Z')
  await load('id,city\n1\n')
  await service.jobsEnded()
})

const hours = async (query: string, headers?: Record<string, string>) =>
  (await service.call('GET', `/v2/storage/stats/hours${query}`, undefined, headers)).body

describe('jobs and runs by hour', () => {
  it('are counted by when they began and what became of them, the current hour last', async () => {
    const { isComplete, hours: found } = await hours('?hours=3')
    expect(isComplete).toBe(true)
    expect(found).toMatchObject([
      { start: '2026-03-01T10:00:00+0000', imports: 1, success: 1, error: 0, rowsLoaded: 2, bytesRead: 7 },
      { start: '2026-03-01T11:00:00+0000', imports: 0, runs: 1, success: 1 },
      { start: '2026-03-01T12:00:00+0000', imports: 1, runs: 1, success: 0, error: 2, waiting: 0 },
    ])
  })

  it('show another token its own jobs only', async () => {
    const { body: token } = await service.call('POST', '/v2/storage/tokens', { description: 'small' })
    const { hours: found } = await hours('?hours=3', { 'X-StorageApi-Token': token.token })
    expect(found.map(({ success, error }: { success: number; error: number }) => success + error)).toEqual([
      0, 0, 0,
    ])
  })

  it('are of a day unless said otherwise, and of a week at most', async () => {
    expect((await hours('')).hours).toHaveLength(24)
    expect((await service.call('GET', '/v2/storage/stats/hours?hours=169')).status).toBe(400)
  })
})

describe('the schedule of a configuration', () => {
  const configs = '/v2/storage/components/ex-generic-v2/configs'
  const put = (configuration: object) => service.call('PUT', `${configs}/nightly`, { configuration })
  const read = async (query = '') => (await service.call('GET', `${configs}/nightly/schedule${query}`)).body

  it('says when it is due next, in its time zone', async () => {
    await service.call('POST', configs, { configurationId: 'nightly', name: 'Nightly' })
    expect(await read()).toMatchObject({ expression: null, isActive: false, nextTimes: [] })
    const jobs = {
      parameters: { api: { baseUrl: 'https://a.example' }, config: { jobs: [{ endpoint: 'a' }] } },
    }
    await put({ ...jobs, schedule: { expression: 'cron(0 6 * * ? *)', timezone: 'Europe/Prague' } })
    expect(await read('?count=2')).toEqual({
      expression: 'cron(0 6 * * ? *)',
      timezone: 'Europe/Prague',
      flexibleMinutes: 0,
      overlap: 'skip',
      isActive: true,
      nextTimes: ['2026-03-02T05:00:00+0000', '2026-03-03T05:00:00+0000'],
      lastTime: null, // it was stored after today's
    })
    const stored = now
    now = new Date('2026-03-04T04:00:00Z')
    expect(await read()).toMatchObject({ lastTime: '2026-03-03T05:00:00+0000' })
    now = stored
    await service.call('PUT', `${configs}/nightly`, { isDisabled: true })
    expect(await read()).toMatchObject({ isActive: false, nextTimes: [] })
  })
})
