import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type BudgetRecord,
  budgetSeconds,
  reserveRequests,
} from '#lib/extractor/requests/http/reserve-requests.ts'
import { describePlan } from '#lib/extractor/run/describe-plan.ts'

const paged = { pagination: { method: 'pagenum' } }
const family = [{ endpoint: 'users', children: [{ endpoint: 'users/{id}', placeholders: { id: 'id' } }] }]

const daily = {
  primaryKey: 'id',
  incremental: {
    cursor: 'at',
    param: 'since',
    until: 'until',
    start: '1969-12-28T00:00:00Z',
    step: 'P1D',
  },
}

interface Given {
  api?: object
  config?: object
  lastRun?: unknown
}

const planOf = ({ api = {}, config = { jobs: family }, lastRun }: Given): Promise<string> =>
  describePlan({
    config: { parameters: { api: { baseUrl: 'http://api.test/', ...api }, config } },
    lastRun,
    now: () => 0,
  })

const job = (path: string, endpoint: string, runs: number, pages: number) => ({
  job: path,
  endpoint,
  dataType: endpoint,
  runs,
  pages,
  rows: 5,
})

const lastRun = {
  requests: 250,
  seconds: 30,
  rows: 900,
  jobs: [job('0', 'users', 1, 10), job('0.0', 'users/{id}', 240, 240)],
}

describe('the forecast of a plan', () => {
  it.each<[string, Given, string[], string[]]>([
    [
      'one request of a job without pages',
      { config: { jobs: [{ endpoint: 'users' }] } },
      ['  requests: 1\n', 'time: unknown before the first answer', 'last run: none is known', 'budget: none'],
      ['requests: at least'],
    ],
    [
      'pages and parent rows as unknown',
      { api: paged },
      [
        '  requests: 1 or more (at most 1,000,000 pages: unknown before the first answer)',
        '  requests: 1 or more for each row of users (rows of users, at most 1,000,000 pages: unknown before the first answer)',
        '  requests: at least 1; the others are unknown before the first answer',
      ],
      [],
    ],
    [
      'the pages of a job whose scroller is none as known',
      {
        api: { pagination: { method: 'multiple', scrollers: { p: { method: 'pagenum' } } } },
        config: { jobs: [{ endpoint: 'a' }, { endpoint: 'b', scroller: 'p' }] },
      },
      ['  requests: 1\n', '  requests: 1 or more (at most 1,000,000 pages', 'requests: at least 2'],
      [],
    ],
    [
      'two passes of a job that is repaired',
      { config: { jobs: [{ endpoint: 'a', completeness: 'repair', primaryKey: 'id' }] } },
      ['  requests: 2\n'],
      [],
    ],
    [
      'the windows of a job as known, those of parent rows as unknown',
      {
        config: {
          jobs: [{ ...daily, endpoint: 'a', children: [{ ...family[0]?.children[0], ...daily }] }],
        },
      },
      ['  requests: 4\n', '  requests: 1 or more for each row of a (rows of a, windows: unknown'],
      [],
    ],
    [
      'the requests that a report takes at least',
      {
        config: {
          jobs: [
            {
              endpoint: 'reports',
              method: 'POST',
              report: {
                poll: { endpoint: 'reports/{id}' },
                download: { endpoint: 'reports/{id}/rows' },
                status: 'state',
                ready: ['done'],
              },
            },
          ],
        },
      },
      ['  requests: 3 or more (polls: unknown before the first answer)', 'requests: at least 3;'],
      [],
    ],
    [
      'what the last run needed, for each job and in all',
      { api: paged, lastRun },
      [
        '  last run: 10 pages in 1 runs of the job\n',
        '  last run: 240 pages in 240 runs of the job',
        '  last run: 250 requests in 30 s',
        '  time: about 30 s, if it is like the last run',
      ],
      [],
    ],
    [
      'the longer time when a budget needs it',
      { api: { http: { budget: { requests: 100, seconds: 60 } } }, lastRun },
      ['so 250 requests need at least 132 s', '  time: about 132 s'],
      [],
    ],
    [
      'limits that the last run would have passed',
      { api: { limits: { requests: 200, minutes: 0.25, rows: 1000 } }, lastRun },
      [
        'limit of 200 requests ("api.limits"): 250 are expected, so the run would fail',
        'limit of 0.25 minutes ("api.limits"): 0.5 are expected',
      ],
      ['limit of 1000 rows'],
    ],
    [
      'the end of a run that stops at its limit',
      { api: { limits: { rows: 899, do: 'stop' } }, lastRun },
      ['limit of 899 rows ("api.limits"): 900 are expected, so the run would end there with what it has'],
      [],
    ],
    [
      'nothing of a job that has changed since',
      { config: { jobs: [{ endpoint: 'people' }] }, lastRun },
      ['  requests: 1\n', 'last run: 250 requests in 30 s'],
      ['last run: 10 pages'],
    ],
    [
      'nothing of a last run of another form',
      { lastRun: { requests: 'many' } },
      ['last run: none is known'],
      ['many'],
    ],
    [
      'the requests of each iteration, with what that one needed',
      {
        config: { jobs: [{ endpoint: 'users' }] },
        lastRun: { ...lastRun, jobs: [undefined, 7, job('1/0', 'users', 1, 3)] },
      },
      ['  requests: 1\n'],
      ['last run: 3 pages'],
    ],
  ])('says %s', async (_, given, said, notSaid) => {
    const plan = await planOf(given)
    for (const line of said) expect(plan).toContain(line)
    for (const line of notSaid) expect(plan).not.toContain(line)
  })

  it('tells the jobs of iterations apart', async () => {
    const plan = await describePlan({
      config: {
        parameters: {
          api: { baseUrl: 'http://api.test/' },
          config: { jobs: [{ endpoint: 'users' }] },
          iterations: [{ a: 1 }, { a: 2 }],
        },
      },
      lastRun: { ...lastRun, jobs: [job('1/0', 'users', 1, 3)] },
      now: () => 0,
    })
    const [first, second, forecast] = plan.split('\n\n')
    expect(first).not.toContain('last run')
    expect(second).toContain('last run: 3 pages')
    expect(forecast).toContain('requests: 2\n')
  })

  it('gives the time that a budget really takes', () => {
    fc.assert(
      fc.property(
        fc.record({ requests: fc.integer({ min: 1, max: 60 }), seconds: fc.integer({ min: 1, max: 100 }) }),
        fc.integer({ min: 1, max: 300 }),
        (budget, count) => {
          let now = 0
          let sent = 0
          for (let record: BudgetRecord = []; sent < count; ) {
            const taken = reserveRequests(record, budget, now)
            if ('waitSeconds' in taken) now += taken.waitSeconds
            else {
              record = taken.record
              sent += taken.granted
            }
          }
          expect(now).toBeCloseTo(budgetSeconds(count, budget), 1)
        },
      ),
    )
  })
})
