import { expect, it } from 'vitest'
import { previewExtraction } from '#lib/extractor/run/preview/preview-extraction.ts'
import { folderUntilEnd, untilEnd } from '#support/until-end.ts'
import { startApi } from '../../api-server.ts'
import { configuration } from '../../run-extraction.ts'
import { issuesApi } from './issues-api.ts'

const settings = {
  api: { pagination: { method: 'header-link' }, http: { maxConcurrency: 1 } },
  config: {
    jobs: [
      {
        id: 'issues',
        endpoint: 'issues',
        primaryKey: ['id'],
        incremental: {
          cursor: 'updated_at',
          param: 'since',
          until: 'before',
          start: '2026-01-01',
          step: 'P7D',
        },
      },
    ],
  },
}

it('a preview of a job with windows ends as soon as it has its rows', async () => {
  const { answer } = issuesApi(
    [1, 2, 3].map(id => ({ id, repo: 'a', updated_at: `2026-01-0${id}T00:00:00Z` })),
    { pageSize: 1 },
  )
  const api = await untilEnd(startApi(answer))
  const folder = folderUntilEnd()
  const preview = await previewExtraction({
    config: configuration(api.origin, settings),
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
