import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ExtractOptions, type ExtractResult, extract } from '#lib/extractor/run/extract.ts'
import { type ApiServer, startApi } from '../api-server.ts'
import { configuration, readTables, type Settings } from '../run-extraction.ts'
import { reportApi } from './report-api.ts'

const report = {
  poll: { endpoint: 'reports/{report.id}' },
  status: 'status',
  ready: ['DONE'],
  failed: ['FAILED'],
  message: 'error.message',
  download: { endpoint: '{result.url}' },
  interval: 0.005,
  backoff: 1,
}

const job = (more: object = {}, over: object = {}): Settings => ({
  api: { http: { headers: { Authorization: { attr: '#token' } } } },
  config: {
    '#token': 'Bearer s3cr3t-of-the-api',
    jobs: [
      {
        endpoint: 'reports',
        dataType: 'clicks',
        method: 'POST',
        params: { kind: 'clicks' },
        primaryKey: ['id'],
        response: { format: 'csv' },
        report: { ...report, ...over },
        ...more,
      },
    ],
  },
})

interface Servers {
  api: ApiServer
  files: ApiServer
  made: string[]
  folder: string
  options: (settings: Settings, run?: string) => ExtractOptions
}

const withServers = async (
  given: Parameters<typeof reportApi>[0],
  test: (servers: Servers) => Promise<void>,
): Promise<void> => {
  const { answer, files: fileAnswer, place, made } = reportApi(given)
  const api = await startApi(answer)
  const files = await startApi(fileAnswer)
  place.files = files.origin
  const folder = mkdtempSync(join(tmpdir(), 'reports-'))
  const options = (settings: Settings, run = 'run'): ExtractOptions => ({
    config: configuration(api.origin, settings),
    outDir: join(folder, run, 'out'),
    spoolDir: join(folder, run, 'spool'),
    ...settings.options,
  })
  try {
    await test({ api, files, made, folder, options })
  } finally {
    await api.close()
    await files.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const wanted = '"id","clicks"\n"1a","1"\n"1b","2"\n'

describe('a report', () => {
  it('is made once, polled until it is ready, and read from another host without credentials', () =>
    withServers({ polls: 3 }, async ({ api, files, made, options }) => {
      const result = await extract(options(job()))
      expect(readTables(options(job()).outDir)['clicks']).toBe(wanted)
      expect(made).toEqual(['{"kind":"clicks"}'])
      expect(api.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
        'POST /reports',
        ...Array.from({ length: 4 }, () => 'GET /reports/1'),
      ])
      expect(api.requests.every(({ headers }) => headers.authorization === 'Bearer s3cr3t-of-the-api')).toBe(
        true,
      )
      expect(files.requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
        ['/1?sig=a%2Bb', undefined],
      ])
      expect(result.summary.jobs).toMatchObject([{ pages: 1, rows: 2, polls: 5 }])
    }))

  it('that lies where no request may go is an error', () =>
    withServers({}, async ({ api, files, options }) => {
      const root = { image_parameters: { allowed_hosts: [{ host: api.origin }] } }
      await expect(extract(options({ ...job(), root }))).rejects.toMatchObject({
        code: 'extractor.address.notAllowed',
      })
      expect(files.requests).toEqual([])
    }))

  it('that fails is an error with what the API says', () =>
    withServers({ end: 'FAILED' }, async ({ options }) => {
      await expect(extract(options(job()))).rejects.toMatchObject({
        code: 'extractor.report.failed',
        message: `The report of job 'reports' failed: its "status" is "FAILED", too many rows.`,
        params: { job: '0', request: 'GET reports/1' },
      })
    }))

  it('that is never ready is an error that says how long it was waited for', () =>
    withServers({ polls: 1_000 }, async ({ api, options }) => {
      let looks = 0
      const now = () => 1_000 + looks++ / 1_000
      await expect(extract({ ...options(job({}, { maxWait: 0.05 })), now })).rejects.toMatchObject({
        code: 'extractor.report.late',
        message: expect.stringMatching(/not ready after 0 seconds and \d+ polls: its "status" is "RUNNING"/),
      })
      expect(api.requests.length).toBeGreaterThan(2)
    }))

  it('whose address the API does not say is an error', () =>
    withServers({}, async ({ options }) => {
      const other = job({}, { download: { endpoint: '{result.link}' } })
      await expect(extract(options(other))).rejects.toMatchObject({ code: 'extractor.report.value' })
    }))

  it('is made for each window', () =>
    withServers({}, async ({ made, options }) => {
      const incremental = {
        cursor: 'at',
        param: 'from',
        until: 'to',
        start: '2026-01-01',
        step: 'P1M',
        format: 'date',
      }
      const now = () => Date.parse('2026-03-01T00:00:00Z') / 1000
      const result = await extract(options({ ...job({ incremental }), options: { now } }))
      expect(made.map(body => JSON.parse(body))).toEqual([
        { kind: 'clicks', from: '2026-01-01', to: '2026-02-01' },
        { kind: 'clicks', from: '2026-02-01', to: '2026-03-01' },
      ])
      expect(result.summary.rows).toBe(4)
    }))
})

/** Stops each leg with the given requests, counted over all legs. */
const runInLegs = async (
  { api, options }: Servers,
  settings: Settings,
  stopsAt: (request: number) => boolean,
): Promise<{ legs: number; result: ExtractResult }> => {
  let result: ExtractResult | undefined
  let legs = 0
  let seen = 0
  while (result?.finished !== true) {
    legs++
    const stop = new AbortController()
    const watch = setInterval(() => {
      const sent = api.requests.length
      while (seen < sent) if (stopsAt(++seen)) stop.abort()
    }, 1)
    try {
      result = await extract({
        ...options(settings),
        signal: stop.signal,
        ...(result === undefined ? {} : { checkpoint: JSON.parse(JSON.stringify(result.checkpoint)) }),
      })
    } finally {
      clearInterval(watch)
    }
  }
  return { legs, result }
}

describe('legs', () => {
  it.each([1, 2, 3, 4])('that end at request %i poll the report that is there, and make no other', number =>
    withServers({ polls: 3 }, async servers => {
      const { legs } = await runInLegs(servers, job({}, { interval: 0.02 }), request => request === number)
      expect(legs).toBe(2)
      expect(servers.made).toHaveLength(1)
      expect(readTables(servers.options(job()).outDir)['clicks']).toBe(wanted)
    }),
  )

  it('that each end at their first request still get there', () =>
    withServers({ polls: 4 }, async servers => {
      const { legs, result } = await runInLegs(servers, job({}, { interval: 0.02 }), () => true)
      expect(legs).toBeGreaterThan(3)
      expect(servers.made).toHaveLength(1)
      expect(servers.api.requests).toHaveLength(6)
      expect(result.summary.jobs).toMatchObject([{ polls: 6, rows: 2 }])
    }))

  it('share one time box', () =>
    withServers({ polls: 1_000 }, async ({ made, options }) => {
      const settings = job({}, { interval: 60, maxWait: 3_000 })
      const stop = new AbortController()
      // A leg takes in the answers that are under way: it ends while it waits for the first poll.
      const watch = setInterval(() => made.length > 0 && stop.abort(), 1)
      const first = await extract({ ...options(settings), now: () => 1_000, signal: stop.signal }).finally(
        () => clearInterval(watch),
      )
      if (first.finished) throw new Error('It waits for a minute')
      const checkpoint = JSON.parse(JSON.stringify(first.checkpoint))
      await expect(extract({ ...options(settings), now: () => 4_000, checkpoint })).rejects.toMatchObject({
        message: expect.stringContaining('not ready after 3000 seconds and 1 polls'),
      })
    }))
})
