import { describe, expect, it } from 'vitest'
import type { ExtractResult } from '#lib/extractor/run/extract.ts'
import type { Answer } from '../api-server.ts'
import { issuesApi } from '../paging/windows/issues-api.ts'
import { runExtraction, type Settings } from '../run-extraction.ts'
import { runInLegs } from '../run-in-legs.ts'

type Finished = Extract<ExtractResult, { finished: true }>

const now = (): number => Date.parse('2026-01-05T00:00:00Z') / 1000
const windows = { cursor: 'updated_at', param: 'since', until: 'before', start: '2026-01-01', step: 'P1D' }
const whole = { millrace: { windows: { issues: '2026-01-05T00:00:00Z' } } }

const issue = (id: number, more: object = {}) => ({
  id,
  repo: 'a',
  updated_at: `2026-01-0${Math.floor(id / 10)}T0${id % 10}:00:00Z`,
  ...more,
})
const ids = [10, 11, 12, 20, 21, 22, 30, 31, 32, 40, 41, 42]

const job = (more: object = {}, config: object = {}, api: object = {}): Settings => ({
  api: { pagination: { method: 'header-link' }, ...api },
  config: {
    jobs: [
      {
        id: 'issues',
        endpoint: 'issues',
        dataType: 'issues',
        primaryKey: 'id',
        incremental: windows,
        ...more,
      },
    ],
    ...config,
  },
  options: { now, concurrency: 1 },
})

const idsIn = (csv = ''): number[] =>
  csv
    .trimEnd()
    .split('\n')
    .slice(1)
    .map(line => Number(line.split('"')[1]))
    .sort()

describe('windows with "repair"', () => {
  const repair = { completeness: 'repair' }

  /** On the third day an issue is missing in the first pass. */
  const moving = (): Answer => {
    let passes = 0
    const [lacking, all] = [ids.filter(id => id !== 31), ids].map(
      some => issuesApi(some.map(id => issue(id))).answer,
    )
    return (request, response) => {
      const isThird = request.query.get('since')?.startsWith('2026-01-03') === true
      if (isThird && !request.query.has('page')) passes++
      return (isThird && passes === 1 ? lacking : all)?.(request, response)
    }
  }

  it('are each read until two passes gave the same rows', async () => {
    const { result, tables } = await runExtraction(moving(), job(repair))
    const { summary, warnings, state } = result as Finished
    expect(idsIn(tables['issues'])).toEqual(ids)
    expect(summary.jobs[0]).toMatchObject({
      windows: { finished: 4 },
      completeness: { complete: 4, passes: 9, repaired: 1 },
    })
    expect(warnings).toEqual([expect.stringContaining('read 3 times')])
    expect(state).toMatchObject(whole)
  })

  it.each([1, 2, 3, 5])('have the same rows in legs of %i pages', async pagesPerLeg => {
    const settings = { ...job(repair), options: { now, concurrency: 1 } }
    const { tables, state, legs } = await runInLegs(moving(), settings, pagesPerLeg)
    expect(legs).toBeGreaterThan(1)
    expect(idsIn(tables['issues'])).toEqual(ids)
    expect(state).toMatchObject(whole)
  })

  it('count as read up to the one that stays unstable', async () => {
    let requests = 0
    const { answer } = issuesApi(ids.map(id => issue(id)))
    const restless: Answer = (request, response) =>
      request.query.get('since')?.startsWith('2026-01-03') === true
        ? [issue(30), issue(31, { id: ++requests + 100 })]
        : answer(request, response)
    const kept: unknown[] = []
    const settings = job(repair)
    const { error } = await runExtraction(restless, {
      ...settings,
      options: { ...settings.options, keepWindows: async given => void kept.push(given) },
    })
    expect(error).toMatchObject({ code: 'extractor.job.unstable' })
    expect(kept).toMatchObject([{ state: { millrace: { windows: { issues: '2026-01-03T00:00:00Z' } } } }])
  })
})

describe('reports for each window', () => {
  /** Asked for by POST, ready at the second look. */
  const reports = (): { answer: Answer; made: string[] } => {
    const made: string[] = []
    const looks = new Map<string, number>()
    const answer: Answer = ({ method, path, body }) => {
      if (method === 'POST') return { id: made.push(JSON.parse(body).since) }
      const [, , id = '', file] = path.split('/')
      if (file !== undefined) return [issue(Number(id) * 10), issue(Number(id) * 10 + 1)]
      looks.set(id, (looks.get(id) ?? 0) + 1)
      return { status: looks.get(id) === 1 ? 'RUNNING' : 'DONE', url: `reports/${id}/file` }
    }
    return { answer, made }
  }
  const report = {
    poll: { endpoint: 'reports/{id}' },
    status: 'status',
    ready: ['DONE'],
    download: { endpoint: '{url}' },
    interval: 0.005,
    backoff: 1,
  }
  const ofReports = (limits: object): Settings =>
    job({ endpoint: 'reports', method: 'POST', report }, {}, { pagination: undefined, limits })

  // Each window takes four requests: the report, two looks, the file
  it.each([3, 4, 7, 8, 9, 15, 16])('end at a limit of %i requests with whole windows', async requests => {
    const { answer, made } = reports()
    const {
      result,
      tables,
      error,
      requests: sent,
    } = await runExtraction(answer, ofReports({ requests, do: 'stop' }))
    expect(error).toBeUndefined()
    const finished = Math.floor(requests / 4)
    expect(sent.length).toBeLessThanOrEqual(requests)
    expect(idsIn(tables['issues'])).toHaveLength(finished * 2)
    const { windows: read = {} } =
      ((result as Finished).state as { millrace?: { windows?: object } }).millrace ?? {}
    expect(read).toEqual(finished === 0 ? {} : { issues: `2026-01-0${finished + 1}T00:00:00Z` })
    expect(made.length).toBeLessThanOrEqual(finished + 1)
  })

  it('fail at a limit and keep the windows before it', async () => {
    const settings = ofReports({ requests: 10 })
    const kept: unknown[] = []
    const { error } = await runExtraction(reports().answer, {
      ...settings,
      options: { ...settings.options, keepWindows: async given => void kept.push(given) },
    })
    expect(error).toMatchObject({ code: 'extractor.job.limit' })
    expect(kept).toMatchObject([{ state: { millrace: { windows: { issues: '2026-01-03T00:00:00Z' } } } }])
  })
})
