import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { Answer } from './api-server.ts'
import { runExtraction, type Settings } from './run-extraction.ts'
import { runInLegs } from './run-in-legs.ts'

const urls = (requests: { url: string }[]): string[] => requests.map(({ url }) => url)

describe('values everywhere (api.http.evaluate)', () => {
  const tree: Answer = ({ path }) =>
    path === '/users'
      ? [
          { id: 1, o: { g: 'x' } },
          { id: 2, o: { g: 'y' } },
        ]
      : [{ path }]

  it('works out functions in default params and headers', async () => {
    const defaultOptions = {
      params: { k: { function: 'md5', args: [{ attr: 'a' }] } },
      headers: { 'X-A': { attr: 'a' } },
    }
    const { requests } = await runExtraction(tree, {
      api: { http: { evaluate: true, defaultOptions } },
      config: { a: '1' },
    })
    expect(requests[0]?.url).toBe('/items?k=c4ca4238a0b923820dcc509a6f75849b')
    expect(requests[0]?.headers['x-a']).toBe('1')
  })

  it('gives parent values to params, headers and bodies of children', async () => {
    const children = [
      { endpoint: 'get', params: { id: { parent: 'id' } }, headers: { 'X-G': { parent: 'o.g' } } },
      { endpoint: 'post', method: 'POST', params: { filter: { group: { parent: 'o.g' } } } },
    ]
    const { requests, error } = await runExtraction(tree, {
      api: { http: { evaluate: true } },
      config: { jobs: [{ endpoint: 'users', children }] },
      options: { concurrency: 1 },
    })
    expect(error).toBeUndefined()
    expect(urls(requests)).toEqual(['/users', '/get?id=1', '/get?id=2', '/post', '/post'])
    expect(requests[1]?.headers['x-g']).toBe('x')
    expect(requests[4]?.body).toBe('{"filter":{"group":"y"}}')
  })

  it('is off in old configurations: default params go out as they are', async () => {
    const { requests } = await runExtraction(tree, {
      api: { http: { defaultOptions: { params: { k: { attr: 'a' } } } } },
    })
    expect(requests[0]?.url).toBe('/items?k%5Battr%5D=a')
  })
})

describe('incremental extraction', () => {
  const job = {
    endpoint: 'items',
    primaryKey: ['at'],
    incremental: { idKey: 'at', param: 'since', type: 'date', initial: '2020-01-01' },
  }

  it('goes on from a number with all its digits, when the state was kept as plain JSON', async () => {
    const ofIds = {
      config: { jobs: [{ ...job, primaryKey: 'at', incremental: { idKey: 'at', param: 'since' } }] },
    }
    const answer = (ids: string) => (_: unknown, response: ServerResponse) => response.end(`[{"at":${ids}}]`)
    const first = await runExtraction(answer('9007199254740993'), ofIds)
    const kept = (run: typeof first): object =>
      JSON.parse(JSON.stringify(run.result?.finished && run.result.state))
    const second = await runExtraction(answer('10000000000000000001'), {
      ...ofIds,
      options: { state: kept(first) },
    })
    expect(urls(second.requests)).toEqual(['/items?since=9007199254740993'])
    const third = await runExtraction(answer('5'), { ...ofIds, options: { state: kept(second) } })
    expect(urls(third.requests)).toEqual(['/items?since=10000000000000000001'])
  })

  it('leaves the parameter out without any value', async () => {
    const { requests } = await runExtraction(() => [], {
      config: {
        jobs: [{ endpoint: 'items', primaryKey: 'id', incremental: { idKey: 'id', param: 'since' } }],
      },
    })
    expect(urls(requests)).toEqual(['/items'])
  })
})

describe('failWhenEmpty', () => {
  it('is an error for a job that gave no rows', async () => {
    const { error } = await runExtraction(() => [], {
      config: { jobs: [{ endpoint: 'items', failWhenEmpty: true }] },
    })
    expect(error?.message).toBe('Job \'items\' gave no rows ("failWhenEmpty").')
  })

  it('does not mind a row', async () => {
    const { error } = await runExtraction(() => [{ a: 1 }], {
      config: { jobs: [{ endpoint: 'items', failWhenEmpty: true }] },
    })
    expect(error).toBeUndefined()
  })
})

describe('unsupported', () => {
  it.each([
    [
      'an SSH tunnel',
      { parameters: { sshProxy: { host: 'h' } } },
      'SSH tunnels ("parameters.sshProxy") are not supported.',
    ],
    ['another action', { root: { action: 'test_request' } }, 'The action "test_request" is not supported'],
  ])('%s is refused at the start', async (_, settings, message) => {
    const { error, requests } = await runExtraction(() => [], settings)
    expect(error?.message).toContain(message)
    expect(requests).toEqual([])
  })
})

describe('the state', () => {
  it('keeps unknown keys and holds the start of this run', async () => {
    const { result, requests } = await runExtraction(() => [{ a: 1 }], {
      config: {
        incrementalOutput: true,
        jobs: [
          { endpoint: 'items', params: { since: { time: 'previousStart' }, now: { time: 'currentStart' } } },
        ],
      },
      options: { state: { mine: 1, time: { previousStart: 77 } }, now: () => 1000.5 },
    })
    expect(urls(requests)).toEqual(['/items?since=77&now=1000'])
    expect(result?.finished === true && result.state).toMatchObject({
      mine: 1,
      time: { previousStart: 1000 },
      'json_parser.structVersion': 3,
    })
  })
})

describe('lists of a job', () => {
  const lists = (each: object, more: object = {}): Settings => ({
    config: { jobs: [{ endpoint: '{one}', dataType: 'rows', each, ...more }] },
  })

  it.each([
    ['one value', { one: 'x' }, ['/x']],
    [
      'every combination, the last varying fastest',
      { one: ['x', 'y'], two: [1, 2] },
      ['/x?t=1', '/x?t=2', '/y?t=1', '/y?t=2'],
    ],
  ])('make a run each: %s', async (_, each, urls) => {
    const more = { params: 'two' in each ? { t: { each: 'two' } } : {} }
    const { requests } = await runExtraction(() => [], { ...lists(each, more), options: { concurrency: 1 } })
    expect(requests.map(({ url }) => url)).toEqual(urls)
  })

  it('that are empty are said', async () => {
    const { requests, result } = await runExtraction(() => [], lists({ one: [] }))
    expect(requests).toEqual([])
    expect(result?.finished === true && result.warnings).toEqual([
      expect.stringContaining('asks for nothing'),
    ])
  })

  it('that are empty are as "silence" says', async () => {
    const { config, ...others } = lists({ one: [] })
    const run = (silence: string) => runExtraction(() => [], { ...others, config: { ...config, silence } })
    const { result } = await run('allow')
    expect(result?.finished === true && result.warnings).toEqual([])
    expect((await run('fail')).error).toMatchObject({ code: 'extractor.job.silent' })
  })

  it.each([
    [{ one: [['x']] }, 'has values that are no texts'],
    [{ one: Array(400).fill('x'), two: Array(400).fill('y') }, '160000 combinations at jobs.0.each'],
  ])('that cannot be are refused', async (each, message) => {
    const { error } = await runExtraction(() => [], lists(each))
    expect(error?.message).toContain(message)
  })

  it('go through checkpoints, into children and through the steps of a job', async () => {
    const answer = ({ path }: { path: string }) =>
      path.split('/').length === 2 ? [{ id: `${path}1`, at: '2026-02-01' }] : [{ sub: path }]
    const each = { one: ['x', 'y'] }
    const incremental = { idKey: 'at', param: 'from', until: 'to', initial: '2026-01-01', step: 'P1M' }
    const now = () => Date.parse('2026-03-01T08:00:00Z') / 1000
    const more = {
      id: 'rows',
      primaryKey: ['id'],
      incremental,
      userData: { one: { each: 'one' } },
      children: [
        { endpoint: '{one}/sub', dataType: 'subs', primaryKey: ['sub'], placeholders: { id: 'id' } },
      ],
    }
    const settings = { ...lists(each, more), options: { now } }
    const [whole, legs] = [
      await runInLegs(answer, settings, Number.POSITIVE_INFINITY),
      await runInLegs(answer, settings, 1),
    ]
    expect(legs).toMatchObject({ tables: whole.tables, requests: whole.requests, state: whole.state })
    expect(whole.tables['rows']).toContain('"/y1","2026-02-01","y"')
    expect(whole.tables['subs']).toContain('"/y/sub","/y1"')
    expect(whole.requests.filter(request => /from=2026-03-01/.test(JSON.stringify(request)))).toHaveLength(2)
    expect(whole.state).toMatchObject({ millrace: { highWaterMarks: { rows: '2026-02-01' } } })
  })
})
