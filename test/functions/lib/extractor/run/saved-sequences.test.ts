import { describe, expect, it } from 'vitest'
import { createPaginator } from '#lib/extractor/paging/create-paginator.ts'
import { createLog, createMasker } from '#lib/extractor/requests/masking/masker.ts'
import { createHighWaterMarks } from '#lib/extractor/run/high-water-marks.ts'
import type { JobContext } from '#lib/extractor/run/job-context.ts'
import { planJobs } from '#lib/extractor/run/job-plan.ts'
import type { JobRun, PendingPage } from '#lib/extractor/run/job-run.ts'
import { createRunStatistics } from '#lib/extractor/run/run-statistics.ts'
import { restoreSequences, saveSequences } from '#lib/extractor/run/saved-sequences.ts'
import { createEvaluateValues } from '#lib/extractor/values/functions/evaluate.ts'

const [plan] = planJobs([{ endpoint: 'items' }], { compatLevel: 3, compat: false })

const page = (bytes: number): PendingPage => {
  if (plan === undefined) throw new Error('There is one job')
  const log = createLog(() => {}, createMasker(), false)
  const input = { job: { endpoint: 'items' }, defaults: {}, now: () => 0, log }
  const run: JobRun = {
    plan,
    request: input.job,
    columns: {},
    placeholders: [],
    rows: [],
    paginator: createPaginator(undefined, undefined, input),
    progress: { pages: 0, items: 0, volume: 0, startedAt: 0 },
    last: undefined,
  }
  const body = Buffer.from(`"${'x'.repeat(bytes - 2)}"`)
  return {
    run,
    request: run.paginator.first,
    fetched: { response: null, headers: {}, url: 'u', body, isParsed: true },
  }
}

describe('saved sequences', () => {
  it('keep the bodies that fit; the others are fetched again', () => {
    const { lanes } = saveSequences([[page(60), page(60)], [page(30)]], 0, 100)
    expect(lanes.map(sequence => sequence.map(pending => 'fetched' in pending))).toEqual([
      [true, false],
      [true],
    ])
  })

  it('keep bodies that are no UTF-8 byte by byte', () => {
    const bytes = Buffer.from([0x22, 0xff, 0x22])
    const pending = page(10)
    if (pending.fetched !== undefined) pending.fetched.body = bytes
    const [saved] = saveSequences([[pending]], 0).lanes[0] ?? []
    expect(saved).toMatchObject({ fetched: { body: bytes.toString('base64'), base64: true } })
  })

  it('are read as earlier versions wrote them', () => {
    const stored = {
      rows: [{ id: 7 }, { id: 8 }],
      runs: [
        {
          plan: '0',
          request: { endpoint: 'items' },
          columns: { region: 'eu' },
          placeholders: [],
          rows: [],
          pages: 2,
          items: 4,
          volume: 0,
          elapsed: 5,
          last: 'digest',
        },
      ],
      lanes: [
        [
          {
            run: 0,
            request: { endpoint: 'items?page=3', method: 'GET', params: {}, headers: {}, position: 3 },
            fetched: {
              body: '[{"id":9}]',
              headers: { link: '<n>; rel=next' },
              url: 'https://a.example/items?page=3',
            },
          },
          { parent: 0, plan: '0.0', items: [0, 1] },
        ],
      ],
    }
    const now = () => 100
    const context: JobContext = {
      config: { jobs: [] },
      attributes: {},
      time: { previousStart: 0, currentStart: 0 },
      pagination: undefined,
      response: undefined,
      itemsFolder: '',
      defaults: {},
      evaluateEverywhere: false,
      evaluate: createEvaluateValues(now),
      silence: undefined,
      marks: createHighWaterMarks({}, {}, now),
      statistics: createRunStatistics(''),
      log: createLog(() => {}, createMasker(), false),
      now,
      isCompat: false,
      maxRows: undefined,
      hidesColumn: () => false,
    }
    const plans = planJobs(
      [{ endpoint: 'items', children: [{ endpoint: 'items/{id}', placeholders: { id: 'id' } }] }],
      { compatLevel: 3, compat: false },
    )
    expect(restoreSequences(stored, plans, context)).toMatchObject([
      [
        {
          run: {
            columns: { region: 'eu' },
            last: 'digest',
            progress: { pages: 2, items: 4, startedAt: 95 },
          },
          request: { endpoint: 'items?page=3', position: 3 },
          fetched: { response: [{ id: 9 }], headers: { link: '<n>; rel=next' }, isParsed: true },
        },
        { plan: { path: '0.0' }, items: [{ id: 7 }, { id: 8 }], from: 0 },
      ],
    ])
  })
})
