import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ExtractResult, extract, type KeptWindows } from '#lib/extractor/extract.ts'
import { startApi } from '../api-server.ts'
import { configuration, extractFrom, readTables, runExtraction, type Settings } from '../run-extraction.ts'
import { type Issue, issuesApi } from './issues-api.ts'

const now = (): number => Date.parse('2026-03-01T08:00:00Z') / 1000

const windows = {
  cursor: 'updated_at',
  param: 'since',
  until: 'before',
  start: '2026-01-01',
  step: 'P7D',
}

const job = (incremental: object = windows, more: object = {}): Settings => ({
  api: { pagination: { method: 'header-link' } },
  config: {
    jobs: [
      { id: 'issues', endpoint: 'issues', dataType: 'issues', primaryKey: ['id'], incremental, ...more },
    ],
  },
  options: { now },
})

/** Issues of each repository, each in its own windows. */
const perRepo: Settings = {
  api: { pagination: { method: 'header-link' } },
  config: {
    jobs: [
      {
        endpoint: 'repos',
        children: [
          {
            id: 'issues',
            endpoint: 'repos/{repo}/issues',
            dataType: 'issues',
            placeholders: { repo: 'name' },
            primaryKey: ['id', 'parent_name'],
            incremental: windows,
          },
        ],
      },
    ],
  },
  options: { now },
}

const issue = fc.record({
  id: fc.integer({ min: 1, max: 40 }),
  repo: fc.constantFrom('a', 'b', 'c'),
  updated_at: fc
    .integer({ min: Date.parse('2026-01-01'), max: Date.parse('2026-03-01T07:59:59Z') })
    .map(moment => new Date(moment).toISOString()),
})

const issues = fc.uniqueArray(issue, { selector: ({ id }) => id, maxLength: 14 })

/** What a table holds in the end: later rows of a key take the place of earlier ones. */
type Table = Map<string, string>

const load = (table: Table, csv: string | undefined): void => {
  for (const row of csv === undefined ? [] : (parse(csv, { columns: true }) as Issue[]))
    table.set(String(row.id), JSON.stringify(row))
}

const sorted = (table: Table): string[] => [...table.values()].sort()

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

/** Runs until one succeeds. What a run that failed has kept is loaded, and its state is that of the next one. */
const runUntilDone = async (
  rows: readonly Issue[],
  settings: Settings,
  failing: readonly number[],
): Promise<{ table: Table; failures: KeptWindows[]; since: string[] }> => {
  const api = issuesApi(rows)
  for (const number of failing) api.failing.add(number)
  const server = await startApi(api.answer)
  const table: Table = new Map()
  const failures: KeptWindows[] = []
  let state: unknown
  try {
    for (let run = 0; run < 30; run++) {
      const outDir = mkdtempSync(join(tmpdir(), 'windows-'))
      const { result, error } = await extractFrom(server.origin, {
        ...settings,
        options: {
          ...settings.options,
          state,
          outDir,
          keepWindows: async kept => {
            failures.push(kept)
            state = JSON.parse(JSON.stringify(kept.state))
          },
        },
      })
      if (result !== undefined || failures.length > 0) load(table, readTables(outDir)['issues'])
      rmSync(outDir, { recursive: true })
      if (result?.finished === true)
        return { table, failures, since: server.requests.map(({ query }) => query.get('since') ?? '') }
      if (error?.message.includes('422') !== true) throw error
    }
    throw new Error('The runs do not end')
  } finally {
    await server.close()
  }
}

describe('a run that fails', () => {
  it('keeps the windows before, and the next one begins with the window that failed', async () => {
    const { failures, since } = await runUntilDone([], job(), [4])
    expect(failures).toMatchObject([
      {
        state: { millrace: { windows: { issues: '2026-01-22T00:00:00Z' } } },
        failure: { code: 'extractor.response.status' },
      },
    ])
    expect(since.filter(text => text === '2026-01-15T00:00:00Z')).toHaveLength(1)
    expect(since.filter(text => text === '2026-01-22T00:00:00Z')).toHaveLength(2)
  })

  it('keeps no table of a job without windows, and no table at all unless somebody takes it', async () => {
    const { answer, failing } = issuesApi([{ id: 1, repo: 'a', updated_at: '2026-01-02T00:00:00Z' }])
    failing.add(5)
    const kept: KeptWindows[] = []
    const settings = (keep: boolean): Settings => ({
      ...perRepo,
      options: {
        now,
        concurrency: 1,
        ...(keep ? { keepWindows: async (given: KeptWindows) => void kept.push(given) } : {}),
      },
    })
    await runExtraction(answer, settings(true))
    expect(kept).toHaveLength(1)
    expect(kept[0]?.tables.map(({ name }) => name)).toEqual(['issues'])
    expect(kept[0]?.state['time']).toBeUndefined()
    expect(kept[0]?.state['millrace']).toEqual({
      windows: { issues: { '2026-01-22T00:00:00Z': ['repo=a'] } },
    })
    const { tables, error } = await runExtraction(issuesApi([]).answer, settings(false))
    expect(error).toBeUndefined()
    expect(tables).toEqual({})
  })

  it.each([
    ['top-level', job()],
    ['per parent row', perRepo],
  ])('at any request leads to the rows of an undisturbed one, %s', async (_, settings) => {
    await fc.assert(
      fc.asyncProperty(
        issues,
        fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 4 }),
        async (rows, failing) => {
          const whole = await runUntilDone(rows, settings, [])
          const disturbed = await runUntilDone(rows, settings, failing)
          expect(sorted(disturbed.table)).toEqual(sorted(whole.table))
          expect(whole.table.size).toBe(rows.length)
        },
      ),
      { numRuns: 8 },
    )
  })
})

describe('legs', () => {
  it.each([
    ['top-level', job()],
    ['per parent row', perRepo],
  ])('that stop at any page give the tables, requests and state of one, %s', async (_, settings) => {
    await fc.assert(
      fc.asyncProperty(issues, fc.integer({ min: 1, max: 5 }), async (rows, pagesPerLeg) => {
        const whole = await runInLegs(rows, settings, Number.POSITIVE_INFINITY)
        const legs = await runInLegs(rows, settings, pagesPerLeg)
        expect(legs).toEqual(whole)
      }),
      { numRuns: 8 },
    )
  })
})

const runInLegs = async (rows: readonly Issue[], settings: Settings, pagesPerLeg: number) => {
  const server = await startApi(issuesApi(rows).answer)
  const folder = mkdtempSync(join(tmpdir(), 'windows-'))
  const outDir = join(folder, 'out')
  let result: ExtractResult | undefined
  try {
    while (result?.finished !== true) {
      const stop = new AbortController()
      let pages = 0
      result = await extract({
        config: configuration(server.origin, settings),
        outDir,
        spoolDir: join(folder, 'spool'),
        ...settings.options,
        signal: stop.signal,
        onProgress: () => {
          if (++pages >= pagesPerLeg) stop.abort()
        },
        ...(result === undefined ? {} : { checkpoint: JSON.parse(JSON.stringify(result.checkpoint)) }),
      })
    }
    const requests = server.requests.map(({ url }) => url).sort()
    return { tables: readTables(outDir), requests, state: result.state, jobs: result.summary.jobs }
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
