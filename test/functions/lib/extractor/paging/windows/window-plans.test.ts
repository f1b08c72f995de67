import { expect, it } from 'vitest'
import { describePlan } from '#lib/extractor/run/describe-plan.ts'
import { previewExtraction } from '#lib/extractor/run/preview/preview-extraction.ts'
import { folderUntilEnd, untilEnd } from '#support/until-end.ts'
import { startApi } from '../../api-server.ts'
import { configuration } from '../../run-extraction.ts'
import { issuesApi } from './issues-api.ts'

const now = (): number => Date.parse('2026-03-01T08:00:00Z') / 1000
const incremental = {
  cursor: 'updated_at',
  param: 'since',
  until: 'before',
  start: '2026-01-01',
  step: 'P7D',
}
const settings = {
  api: { pagination: { method: 'header-link' } },
  config: {
    jobs: [
      { id: 'issues', endpoint: 'issues', primaryKey: ['id'], incremental },
      { id: 'read', endpoint: 'read', primaryKey: ['id'], incremental },
      {
        id: 'all',
        endpoint: 'all',
        primaryKey: ['id'],
        incremental: { cursor: 'updated_at', start: '2026-02-01' },
      },
      {
        endpoint: 'repos',
        children: [
          {
            endpoint: 'repos/{r}',
            dataType: 'r',
            placeholders: { r: 'name' },
            primaryKey: 'id',
            incremental,
          },
        ],
      },
    ],
  },
}
const state = { millrace: { windows: { read: '2026-03-01T08:00:00Z' } } }

it('a plan shows the first window, how many there are, and what is read', async () => {
  const plan = await describePlan({ config: configuration('https://a.example', settings), state, now })
  expect(plan.split('\n')).toEqual([
    'GET https://a.example/issues?since=2026-01-01T00%3A00%3A00Z&before=2026-01-08T00%3A00%3A00Z',
    '  job jobs.0 -> issues',
    '  windows: 9 of P7D, from 2026-01-01T00:00:00Z up to 2026-03-01T08:00:00Z',
    '  param since: 2026-01-01T00:00:00Z (incremental)',
    '  param before: 2026-01-08T00:00:00Z (incremental)',
    '  requests: 9 or more (at most 1,000,000 pages: unknown before the first answer)',
    'read: all windows have been read',
    '  job jobs.1 -> read',
    'GET https://a.example/all',
    '  job jobs.2 -> all',
    '  windows: 1, from 2026-02-01T00:00:00Z up to 2026-03-01T08:00:00Z',
    '  rows from before are dropped, by updated_at',
    '  requests: 1 or more (at most 1,000,000 pages: unknown before the first answer)',
    'GET https://a.example/repos',
    '  job jobs.3 -> repos',
    '  requests: 1 or more (at most 1,000,000 pages: unknown before the first answer)',
    'GET repos/{r} (for each row of repos)',
    '  job jobs.3.0 -> r',
    '  placeholder r: name',
    '  windows of P7D, for each parent row',
    '  param since: (incremental)',
    '  param before: (incremental)',
    '  requests: 1 or more for each row of repos (rows of repos, windows, at most 1,000,000 pages: unknown before the first answer)',
    '',
    'Forecast, without logins, redirects and retries',
    '  requests: at least 11; the others are unknown before the first answer',
    '  last run: none is known',
    '  time: unknown before the first answer',
    "  budget: none is set; the API's own limits are unknown before the first answer",
  ])
})

it('a preview ends as soon as it has its rows', async () => {
  const { answer } = issuesApi(
    [1, 2, 3].map(id => ({ id, repo: 'a', updated_at: `2026-01-0${id}T00:00:00Z` })),
    { pageSize: 1 },
  )
  const api = await untilEnd(startApi(answer))
  const folder = folderUntilEnd()
  const { api: given, config } = settings
  const one = { api: { ...given, http: { maxConcurrency: 1 } }, config: { jobs: config.jobs.slice(0, 1) } }
  const preview = await previewExtraction({
    config: configuration(api.origin, one),
    state: undefined,
    rows: 2,
    folder,
    allowedPrivateHosts: ['127.0.0.1'],
  })
  expect(preview).toMatchObject({
    error: null,
    stoppedBy: null,
    tables: [{ name: 'issues', rowsCount: 2 }],
  })
  expect(api.requests).toHaveLength(2)
})
