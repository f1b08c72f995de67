import { describe, expect, it } from 'vitest'
import { runExtraction } from '../../run-extraction.ts'
import { type Issue, issuesApi } from './issues-api.ts'
import { job, now, perRepo, windows } from './window-jobs.ts'

describe('windows of a run', () => {
  it('ask for each part of the time, and the state says up to where', async () => {
    const { answer } = issuesApi([
      { id: 1, repo: 'a', updated_at: '2026-01-03T00:00:00Z' },
      { id: 2, repo: 'a', updated_at: '2026-02-12T00:00:00+02:00' },
    ])
    const { result, requests, tables } = await runExtraction(answer, job({ ...windows, step: 'P1M' }))
    expect(requests.map(({ query }) => [query.get('since'), query.get('before')])).toEqual([
      ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'],
      ['2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z'],
      ['2026-03-01T00:00:00Z', '2026-03-01T08:00:00Z'],
    ])
    expect(tables['issues']).toContain('"2"')
    expect(result).toMatchObject({
      state: { millrace: { windows: { issues: '2026-03-01T08:00:00Z' } } },
      warnings: [],
      summary: { jobs: [{ runs: 3, windows: { finished: 3 } }] },
    })
  })

  it.each([
    ['date', '2026-02-27', '2026-03-01'],
    ['seconds', '1772150400', '1772352000'],
    ['milliseconds', '1772150400000', '1772352000000'],
    ['d.m.Y H:i', '27.02.2026 00:00', '01.03.2026 08:00'],
  ])('are sent as %s', async (format, since, before) => {
    const { requests } = await runExtraction(() => [], job({ ...windows, start: '2026-02-27', format }))
    expect(requests.map(({ query }) => [query.get('since'), query.get('before')])).toEqual([[since, before]])
  })

  it('that a state says are read up to a time to come are said', async () => {
    const settings = job()
    const state = { millrace: { windows: { issues: '2090-01-01T00:00:00Z' } } }
    const { requests, result } = await runExtraction(() => [], { ...settings, options: { now, state } })
    expect(requests).toEqual([])
    expect(result?.finished === true && result.warnings).toEqual([
      expect.stringContaining('up to 2090-01-01'),
    ])
  })

  it('are sent in a body, in a GraphQL variable and in the path', async () => {
    const own = { cursor: 'updated_at', start: '2026-02-27', format: 'date' }
    const range = { from: { window: 'start' }, to: { window: 'end' } }
    const { requests } = await runExtraction(() => ({ data: [] }), {
      config: {
        jobs: [
          { endpoint: 'search', method: 'POST', params: { range }, incremental: own, primaryKey: 'id' },
          {
            endpoint: 'graphql',
            dataField: 'data',
            graphql: { query: '{ a }', variables: range },
            incremental: own,
            primaryKey: 'id',
          },
          {
            endpoint: 'days/{window.start}/{window.end}',
            dataType: 'days',
            incremental: own,
            primaryKey: 'id',
          },
        ],
      },
      options: { now },
    })
    expect(requests.map(({ path, body }) => [path, body === '' ? null : JSON.parse(body)])).toEqual([
      ['/search', { range: { from: '2026-02-27', to: '2026-03-01' } }],
      ['/graphql', { query: '{ a }', variables: { from: '2026-02-27', to: '2026-03-01' } }],
      ['/days/2026-02-27/2026-03-01', null],
    ])
  })

  it('never ask for the future, which would count as read', async () => {
    const { requests, result } = await runExtraction(
      () => [],
      job({ ...windows, step: 'P1Y', end: '2030-01-01' }),
    )
    expect(requests.map(({ query }) => query.get('before'))).toEqual(['2026-03-01T08:00:00Z'])
    expect(result).toMatchObject({ state: { millrace: { windows: { issues: '2026-03-01T08:00:00Z' } } } })
  })

  it('are read again as far as the lookback goes', async () => {
    const state = { millrace: { windows: { issues: '2026-02-28T00:00:00Z' } } }
    const { options, ...others } = job({ ...windows, lookback: 'P1D' })
    const { requests } = await runExtraction(() => [], { ...others, options: { ...options, state } })
    expect(requests.map(({ query }) => query.get('since'))).toEqual(['2026-02-27T00:00:00Z'])
  })

  it('leave out what is older, where the API cannot', async () => {
    const rows = [
      { id: 1, updated_at: '2026-01-31T23:59:59Z' },
      { id: 2, updated_at: '2026-02-01T01:00:00+02:00' },
      { id: 3, updated_at: '2026-02-01T00:00:00Z' },
      { id: 4 },
    ]
    const { result, tables, requests } = await runExtraction(
      ({ query }) => rows.slice(Number(query.get('offset')), Number(query.get('offset')) + 2),
      {
        ...job({ cursor: 'updated_at', start: '2026-02-01' }),
        api: { pagination: { method: 'offset', limit: 2 } },
      },
    )
    expect(tables['issues']).toBe('"id","updated_at"\n"3","2026-02-01T00:00:00Z"\n"4",""\n')
    expect(requests).toHaveLength(3)
    expect(result?.summary.jobs[0]).toMatchObject({ rows: 2, windows: { dropped: 2, withoutTime: 1 } })
    expect(result).toMatchObject({ warnings: [expect.stringContaining('1 rows have no time')] })
  })

  it('say when the API does not seem to know the parameters', async () => {
    const { result } = await runExtraction(() => [{ id: 1, updated_at: '2020-01-01' }], job())
    expect(result).toMatchObject({ warnings: [expect.stringContaining('outside of the window')] })
  })

  it('that a limit cuts are no progress, and are said', async () => {
    const { answer } = issuesApi(
      [1, 2, 3].map(id => ({ id, repo: 'a', updated_at: '2026-01-09T00:00:00Z' })),
      { pageSize: 1 },
    )
    const { result, requests } = await runExtraction(answer, {
      ...job(),
      api: { pagination: { method: 'header-link', forceStop: { pages: 2 } } },
    })
    expect(requests.filter(({ query }) => query.get('since') === '2026-01-08T00:00:00Z')).toHaveLength(2)
    expect(result).toMatchObject({
      state: { millrace: { windows: { issues: '2026-01-08T00:00:00Z' } } },
      warnings: [expect.stringContaining('The window from 2026-01-08T00:00:00Z of job')],
    })
  })

  it('that a limit ends with their last page are progress', async () => {
    const { answer } = issuesApi(
      [1, 2].map(id => ({ id, repo: 'a', updated_at: '2026-01-09T00:00:00Z' })),
      { pageSize: 1 },
    )
    const { result } = await runExtraction(answer, {
      ...job(),
      api: { pagination: { method: 'header-link', forceStop: { pages: 2 } } },
    })
    expect(result).toMatchObject({ warnings: [] })
    expect(JSON.stringify(result?.finished && result.state)).not.toContain('2026-01-08')
  })

  it('of parent rows each have their own progress; a new one begins at the start', async () => {
    const rows: Issue[] = [{ id: 1, repo: 'a', updated_at: '2026-02-27T00:00:00Z' }]
    const first = await runExtraction(issuesApi(rows).answer, perRepo)
    const state = first.result?.finished === true ? first.result.state : undefined
    expect(state?.['millrace']).toEqual({ windows: { issues: { '2026-03-01T08:00:00Z': ['repo=a'] } } })
    rows.push({ id: 2, repo: 'b', updated_at: '2026-01-02T00:00:00Z' })
    const { requests, tables } = await runExtraction(issuesApi(rows).answer, {
      ...perRepo,
      options: { now: () => now() + 3600, state },
    })
    expect(requests.filter(({ path }) => path === '/repos/a/issues')).toHaveLength(1)
    expect(requests.filter(({ path }) => path === '/repos/b/issues').length).toBeGreaterThan(5)
    expect(tables['issues']).toContain('"2","b"')
  })

  it('of iterations each have their own progress', async () => {
    const parameters = { iterations: [{ outputBucket: 'x' }, { outputBucket: 'y' }] }
    const { result, requests } = await runExtraction(() => [], {
      ...job({ ...windows, step: 'P1Y' }),
      parameters,
    })
    expect(requests).toHaveLength(2)
    const kept = result?.finished === true ? result.state['millrace'] : undefined
    expect(Object.values((kept as { windows: object }).windows)).toEqual([
      '2026-03-01T08:00:00Z',
      '2026-03-01T08:00:00Z',
    ])
  })
})

describe('a job with windows is refused', () => {
  it.each([
    ['a step without a start', { ...windows, start: undefined }, 'needs "start"'],
    ['a step without an end', { ...windows, until: undefined }, '"param" and "until"'],
    ['a step without a parameter', { ...windows, param: undefined }, '"param" and "until"'],
    ['a granularity of months', { ...windows, granularity: 'P1M' }, 'of fixed length'],
    ['a granularity without an end', { cursor: 'a', param: 'b', granularity: 'P1D' }, '"granularity"'],
    ['no duration', { ...windows, step: '7 days' }, 'must be a duration'],
    ['an unknown key', { ...windows, stepp: 'P1D' }, 'unknown key "stepp"'],
    ['too many windows', { ...windows, step: 'PT1S' }, 'more than 100000'],
    ['a start that is no time', { ...windows, start: 'soon' }, 'is no time'],
  ])('with %s', async (_, incremental, message) => {
    const { error } = await runExtraction(() => [], job(incremental))
    expect(error?.message).toContain(message)
  })

  it('below a parent without placeholders', async () => {
    const { error } = await runExtraction(() => [{ id: 1 }], {
      api: { http: { evaluate: true } },
      config: {
        jobs: [{ endpoint: 'a', children: [{ endpoint: 'b', primaryKey: 'id', incremental: windows }] }],
      },
      options: { now },
    })
    expect(error?.message).toContain('"placeholders"')
  })
})
