import { describe, expect, it } from 'vitest'
import { createLog } from '#lib/extractor/masking/log.ts'
import { createMasker } from '#lib/extractor/masking/masker.ts'
import { createPagination } from '#lib/extractor/pagination/create-pagination.ts'
import { planJobs } from '#lib/extractor/runner/job-plan.ts'
import type { JobRun } from '#lib/extractor/runner/job-run.ts'
import type { QueuedPage } from '#lib/extractor/runner/run-lanes.ts'
import { saveLanes } from '#lib/extractor/runner/saved-lanes.ts'

const [plan] = planJobs([{ endpoint: 'items' }], { compatLevel: 3, compat: false })

const page = (bytes: number): QueuedPage => {
  if (plan === undefined) throw new Error('There is one job')
  const log = createLog(() => {}, createMasker(), false)
  const input = { job: { endpoint: 'items' }, defaults: {}, now: () => 0, log }
  const run: JobRun = {
    plan,
    request: input.job,
    columns: {},
    placeholders: [],
    rows: [],
    pagination: createPagination(undefined, undefined, input),
    progress: { pages: 0, items: 0, volume: 0, startedAt: 0 },
    lastResponse: undefined,
    lastFingerprint: undefined,
  }
  const body = Buffer.from(`"${'x'.repeat(bytes - 2)}"`)
  return {
    run,
    request: run.pagination.first,
    fetched: { response: null, headers: {}, url: 'u', body, isParsed: true },
  }
}

describe('saved lanes', () => {
  it('keep bodies that came as long as there is room, and leave the others to be asked for again', () => {
    const { lanes } = saveLanes([[page(60), page(60)], [page(30)]], 0, 100)
    expect(lanes.map(lane => lane.map(queued => 'fetched' in queued))).toEqual([[true, false], [true]])
  })

  it('keep bodies that are no UTF-8 byte by byte', () => {
    const bytes = Buffer.from([0x22, 0xff, 0x22])
    const queued = page(10)
    if (queued.fetched !== undefined) queued.fetched.body = bytes
    const [saved] = saveLanes([[queued]], 0).lanes[0] ?? []
    expect(saved).toMatchObject({ fetched: { body: bytes.toString('base64'), base64: true } })
  })
})
