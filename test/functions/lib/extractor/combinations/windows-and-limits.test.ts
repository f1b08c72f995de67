import { describe, expect, it } from 'vitest'
import type { ExtractResult, KeptWindows } from '#lib/extractor/run/extract.ts'
import type { Answer } from '../api-server.ts'
import { issuesApi } from '../paging/windows/issues-api.ts'
import { rowCount, runExtraction, type Settings } from '../run-extraction.ts'
import { runInLegs } from '../run-in-legs.ts'

const now = (): number => Date.parse('2026-01-05T00:00:00Z') / 1000
const windows = { cursor: 'updated_at', param: 'since', until: 'before', start: '2026-01-01', step: 'P1D' }

/** Four days, one window each, with three issues in pages of two: two requests for each day. */
const issues = [1, 2, 3, 4].flatMap(day =>
  [0, 1, 2].map(hour => ({ id: day * 10 + hour, repo: 'a', updated_at: `2026-01-0${day}T0${hour}:00:00Z` })),
)

const job = (api: object, more: object = {}, options: Settings['options'] = {}): Settings => ({
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
  },
  options: { now, concurrency: 1, ...options },
})

const daysOf = (csv: string | undefined): number[] => [1, 2, 3, 4].filter(day => csv?.includes(`"${day}2"`))
const readTo = (day: number) => ({ millrace: { windows: { issues: `2026-01-0${day}T00:00:00Z` } } })

const windowsIn = (result: ExtractResult | undefined): object => {
  const state = result?.finished === true ? result.state : undefined
  return (state as { millrace?: { windows?: object } } | undefined)?.millrace?.windows ?? {}
}

/** With each issue two comments, in two pages. */
const withComments: Answer = (request, response) => {
  const { path, query, headers } = request
  const [, id] = /^\/comments\/(\d+)$/.exec(path) ?? []
  if (id === undefined) return issuesApi(issues, { pageSize: 9 }).answer(request, response)
  if (!query.has('page')) response.setHeader('Link', `<http://${headers.host}${path}?page=2>; rel="next"`)
  return [{ of: id, page: query.get('page') ?? '1' }]
}

const comments = {
  id: 'comments',
  endpoint: 'comments/{issue}',
  dataType: 'comments',
  placeholders: { issue: 'id' },
  primaryKey: ['of', 'page'],
}

describe('a limit of the run', () => {
  it.each([1, 2, 3, 4, 5, 6, 7])(
    'of %i requests with "stop" marks only the windows that are read',
    async requests => {
      const { result, tables } = await runExtraction(
        issuesApi(issues).answer,
        job({ limits: { requests, do: 'stop' } }),
      )
      const days = Math.floor(requests / 2)
      expect(daysOf(tables['issues'])).toHaveLength(days)
      expect(result).toMatchObject({
        warnings: [
          expect.stringContaining('ended at its limit'),
          expect.stringContaining(
            `The window from 2026-01-0${days + 1}T00:00:00Z of job 'issues' is not read`,
          ),
        ],
      })
      expect(windowsIn(result)).toEqual(days === 0 ? {} : readTo(days + 1).millrace.windows)
    },
  )

  it.each([3, 6])('of %i requests that fails the run keeps the windows that are read', async requests => {
    const kept: KeptWindows[] = []
    const { error } = await runExtraction(
      issuesApi(issues).answer,
      job({ limits: { requests } }, {}, { keepWindows: async given => void kept.push(given) }),
    )
    expect(error).toMatchObject({ code: 'extractor.job.limit' })
    expect(kept).toMatchObject([
      { state: readTo(Math.floor(requests / 2) + 1), failure: { code: 'extractor.job.limit' } },
    ])
  })

  it.each([2, 5, 9, 12])(
    'of %i requests with "stop" marks no window whose children are cut',
    async requests => {
      const { result, tables } = await runExtraction(
        withComments,
        job({ limits: { requests, do: 'stop' } }, { children: [comments] }),
      )
      // One request for the issues of a day, two for the comments of each of the three
      const days = Math.floor(requests / 7)
      expect(rowCount(tables['comments'])).toBeGreaterThanOrEqual(6 * days)
      expect(windowsIn(result)).toEqual(days === 0 ? {} : readTo(days + 1).millrace.windows)
    },
  )

  it('with "stop" is known to later legs, which still write what was read', async () => {
    const answer: Answer = ({ query }) => {
      const offset = Number(query.get('offset'))
      return offset >= 8 ? [] : [0, 1].map(index => ({ id: offset + index }))
    }
    const settings: Settings = {
      api: { pagination: { method: 'offset', limit: 2 }, limits: { requests: 3, do: 'stop' } },
      config: {
        jobs: [
          {
            endpoint: 'items',
            primaryKey: 'id',
            completeness: 'repair',
            incremental: { idKey: 'id', param: 'since', type: 'number' },
          },
        ],
      },
      options: { concurrency: 2 },
    }
    const whole = await runInLegs(answer, settings, Number.POSITIVE_INFINITY)
    const legs = await runInLegs(answer, settings, 1)
    expect(rowCount(whole.tables['items'])).toBe(6)
    expect(whole.state).toMatchObject({ time: { previousStart: 0 } })
    expect(legs.tables).toEqual(whole.tables)
    expect(legs.state).toEqual(whole.state)
  })
})

it('that cuts the second pass of a job with "repair" leaves no rows of the first, which is said', async () => {
  const { result, tables } = await runExtraction(() => [{ id: 1 }], {
    api: { limits: { requests: 1, do: 'stop' } },
    config: { jobs: [{ endpoint: 'items', primaryKey: 'id', completeness: 'repair' }] },
  })
  expect(rowCount(tables['items'])).toBe(0)
  expect(result).toMatchObject({
    warnings: expect.arrayContaining([
      expect.stringContaining('in pass 2, which had 0 rows: the rows of the pass before are not kept'),
    ]),
  })
})

describe('a window', () => {
  it('is not marked when a child of its rows fails', async () => {
    const kept: KeptWindows[] = []
    const answer: Answer = (request, response) => {
      if (request.path !== '/comments/31') return withComments(request, response)
      response.statusCode = 422
      return {}
    }
    const { error } = await runExtraction(
      answer,
      job({}, { children: [comments] }, { keepWindows: async given => void kept.push(given) }),
    )
    expect(error?.message).toContain('422')
    expect(kept).toMatchObject([{ state: readTo(3) }])
  })

  it.each([
    ['a child', comments],
    [
      'a child with windows of its own',
      { ...comments, incremental: { cursor: 'at', param: 'since', start: '2026-01-01' } },
    ],
  ])('is not marked when a limit of pages cuts %s, which is said', async (_, child) => {
    const { result } = await runExtraction(
      (request, response) => {
        const answer = withComments(request, response)
        // All of the third day have one page more than may be read
        if (request.path.startsWith('/comments/3') && request.query.get('page') === '2')
          response.setHeader('Link', `<http://${request.headers.host}${request.path}?page=3>; rel="next"`)
        return answer
      },
      job({ pagination: { method: 'header-link', forceStop: { pages: 2 } } }, { children: [child] }),
    )
    expect(windowsIn(result)).toMatchObject(readTo(3).millrace.windows)
    expect(result).toMatchObject({
      warnings: expect.arrayContaining([
        expect.stringContaining(
          "The window to 2026-01-04T00:00:00Z of job 'issues' is not read to its end ('comments/30' below it: ",
        ),
      ]),
    })
  })

  it('is not marked when an error rule stops a child', async () => {
    const answer: Answer = (request, response) => {
      if (request.path === '/comments/31') response.statusCode = 410
      return withComments(request, response)
    }
    const { result } = await runExtraction(
      answer,
      job({ http: { errorRules: [{ when: { status: 410 }, do: 'stop' }] } }, { children: [comments] }),
    )
    expect(result).toMatchObject({ state: readTo(3) })
  })
})
