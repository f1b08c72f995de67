import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { UserError } from '#lib/errors/errors.ts'
import { PassRecording } from '#lib/extractor/paging/completeness/pass-recording.ts'
import { checkConfiguration } from '#lib/extractor/run/check-configuration.ts'
import type { Answer } from '../../api-server.ts'
import { type Extraction, runExtraction, type Settings } from '../../run-extraction.ts'
import { runInLegs } from '../../run-in-legs.ts'

const repaired = { primaryKey: ['id'], completeness: 'repair' }
const codeOf = ({ error }: Extraction): string | undefined => (error as UserError | undefined)?.code
const warningsOf = ({ result }: Extraction): string[] | false => result?.finished === true && result.warnings

/** Answers its first requests one by one, and all others with the last. */
const inTurn = (...bodies: unknown[]): Answer => {
  let request = 0
  return () => bodies[Math.min(request++, bodies.length - 1)]
}

const one = (...ids: number[]) => ids.map(id => ({ id }))

describe('what "repair" needs', () => {
  const config = (job: object) => ({
    parameters: { api: { baseUrl: 'https://api.test/' }, config: { jobs: [{ endpoint: 'a', ...job }] } },
  })
  const needsIds =
    /"repair" has to tell rows apart: name the "primaryKey" of the job, or "id" in "completeness"/

  it.each([
    { completeness: 'repair' },
    { completeness: { mode: 'repair', total: 'n' } },
    { completeness: 'repair', primaryKey: '' },
  ])('is refused when the configuration is stored or run: %j', async job => {
    expect(() => checkConfiguration(config(job))).toThrow(needsIds)
    const { error } = await runExtraction(() => [], { config: { jobs: [{ endpoint: 'a', ...job }] } })
    expect(error?.message).toMatch(needsIds)
  })

  it.each([{ completeness: 'repair', primaryKey: 'id' }, { completeness: { mode: 'repair', id: 'at.no' } }])(
    'is there in %j',
    job => {
      expect(checkConfiguration(config(job))).toEqual([])
    },
  )
})

describe('a job that is read in passes', () => {
  it('reads on until two passes agree, and says how they differed', async () => {
    const answer = inTurn(one(1, 2), one(2, 3, 4), one(4, 3, 2), one(4, 3, 2))
    const run = await runExtraction(answer, { config: { jobs: [{ endpoint: 'items', ...repaired }] } })
    expect(run.tables['items']).toBe('"id"\n"4"\n"3"\n"2"\n')
    expect(run.requests).toHaveLength(4)
    expect(warningsOf(run)).toEqual([
      "Completeness of job 'items': read 4 times, because rows moved while they were read: pass 2: 2 rows came and 1 went; pass 3: the same rows came in another order.",
    ])
    expect(run.result?.summary.jobs[0]).toMatchObject({
      pages: 4,
      rows: 3,
      runs: 1,
      completeness: { complete: 1, passes: 4, repaired: 1 },
    })
  })

  it('ends with an error after five passes that all differ, without tables', async () => {
    let first = 0
    const run = await runExtraction(() => one(++first), {
      config: { jobs: [{ endpoint: 'items', ...repaired }] },
    })
    expect(codeOf(run)).toBe('extractor.job.unstable')
    expect(run.error?.message).toMatch(/was read 5 times.*pass 5: 1 row came and 1 went\.$/)
    expect(run.requests).toHaveLength(5)
  })

  it.each([
    ['rows are missing each time', { total: 3, rows: one(1, 2) }, '2 of 3 rows'],
    ['rows have no id', { rows: [{ id: 1 }, { no: 2 }] }, '1 row has no id'],
    ['a row comes twice each time', { rows: one(1, 1) }, 'page 1 has 1 id more than once'],
  ])('ends with an error after two passes when %s', async (_, body, finding) => {
    const run = await runExtraction(() => body, { config: { jobs: [{ endpoint: 'items', ...repaired }] } })
    expect(codeOf(run)).toBe('extractor.job.incomplete')
    expect((run.error as UserError).params['findings']).toEqual([finding])
    expect(run.requests).toHaveLength(2)
  })

  it('counts what the last pass says of the total', async () => {
    const answer = inTurn({ total: 2, rows: one(1) }, { total: 1, rows: one(1) })
    const run = await runExtraction(answer, { config: { jobs: [{ endpoint: 'items', ...repaired }] } })
    expect(run.requests).toHaveLength(2)
    expect(run.tables['items']).toBe('"id"\n"1"\n')
  })

  it('reads each parent row in passes of its own, and runs its children once', async () => {
    const answer: Answer = ({ path }) => {
      if (path === '/shops') return [{ id: 'x' }, { id: 'y' }]
      return path.endsWith('orders') ? [{ id: `${path.slice(1, 2)}1` }] : { note: path }
    }
    const run = await runExtraction(answer, {
      config: {
        jobs: [
          {
            endpoint: 'shops',
            children: [
              {
                endpoint: '{id}/orders',
                placeholders: { id: 'id' },
                ...repaired,
                children: [{ endpoint: 'order/{no}', dataField: '.', placeholders: { no: 'id' } }],
              },
            ],
          },
        ],
      },
    })
    expect(run.requests.map(({ path }) => path).sort()).toEqual([
      '/order/x1',
      '/order/y1',
      '/shops',
      '/x/orders',
      '/x/orders',
      '/y/orders',
      '/y/orders',
    ])
    expect(run.result?.summary.jobs[1]?.completeness).toEqual({
      complete: 2,
      incomplete: 0,
      notChecked: 0,
      passes: 4,
      messages: [],
    })
  })

  it.each([
    ['a limit of pages', { pagination: { method: 'pagenum', forceStop: { pages: 1 } } }, 1, 'page limit'],
    [
      'an error rule',
      {
        pagination: { method: 'pagenum' },
        http: { errorRules: [{ when: { status: 410 }, do: 'stop' }] },
      },
      2,
      'an error rule ended the job',
    ],
  ])('keeps what it has when %s ends it, which is not compared', async (_, api, requests, reason) => {
    const answer: Answer = ({ query }, response) => {
      if (query.get('page') !== '2') return one(1, 2)
      response.statusCode = 410
      return {}
    }
    const run = await runExtraction(answer, { api, config: { jobs: [{ endpoint: 'items', ...repaired }] } })
    expect(run.error).toBeUndefined()
    expect(run.tables['items']).toBe('"id"\n"1"\n"2"\n')
    expect(run.requests).toHaveLength(requests)
    expect(warningsOf(run)).toEqual([expect.stringMatching(`not checked: .*${reason}`)])
  })

  it('takes an answer that an error rule ignores as a page without rows', async () => {
    const answer: Answer = (_, response) => {
      response.statusCode = 404
      return {}
    }
    const run = await runExtraction(answer, {
      api: { http: { errorRules: [{ when: { status: 404 }, do: 'ignore' }] } },
      config: { jobs: [{ endpoint: 'items', ...repaired }] },
    })
    expect(run.error).toBeUndefined()
    expect(run.requests).toHaveLength(2)
    expect(run.result?.summary.jobs[0]?.completeness).toMatchObject({ complete: 1, passes: 2 })
  })

  it('is read once in a preview, which says so', async () => {
    const run = await runExtraction(() => one(1, 2), {
      config: { jobs: [{ endpoint: 'items', ...repaired }] },
      options: { maxRows: 1 },
    })
    expect(run.requests).toHaveLength(1)
    expect(run.logs.map(({ message }) => message)).toContain(
      `Job 'items' is read once: in a preview "repair" does nothing.`,
    )
  })
})

describe('tables of a job that is read in passes', () => {
  const shops: Answer = ({ path, query }, response) => {
    if (path !== '/shops') return [{ line: `${path} ${query.get('page')}`, more: [{ a: 1 }] }]
    const page = Number(query.get('page'))
    const text = String.raw`{"b": 1.50, "10": 1, "2": {"z": [{"q": 1e5}]}, "id": ${page}2345678901234567890, "s": "\ud800é", "kept": {"9": 1, "8": [1.0]}}`
    response.end(page > 3 ? '{"total": 3, "rows": []}' : `{"total": 3, "rows": [${text}]}`)
    return undefined
  }
  const csv: Answer = (_, response) => {
    response.setHeader('content-type', 'text/csv')
    response.end(`id,text\n${Array.from({ length: 12_000 }, (_, id) => `${id},row`).join('\n')}`)
  }
  const child = { endpoint: 'shop/{id}/lines', dataType: 'shops', placeholders: { id: 'id' } }
  const paged = { pagination: { method: 'multiple', scrollers: { paged: { method: 'pagenum' } } } }
  const shopsJob = { endpoint: 'shops', dataField: 'rows', scroller: 'paged', responseFilter: 'kept' }
  const csvJob = { endpoint: 'items', response: { format: 'csv' } }

  it.each<[string, Answer, Settings['api'], Record<string, unknown>]>([
    ['of odd numbers and keys, with children in one table', shops, paged, { ...shopsJob, children: [child] }],
    ['of CSV', csv, {}, csvJob],
  ])('are those that it has without the key, byte for byte: %s', async (_, answer, api, job) => {
    const settings = (more: object): Settings => ({
      api,
      config: { jobs: [{ ...job, primaryKey: 'id', ...more }] },
    })
    const plain = await runInLegs(answer, settings({}), Number.POSITIVE_INFINITY)
    expect(plain.tables).not.toEqual({})
    for (const pagesPerLeg of [1, 2, 5, Number.POSITIVE_INFINITY]) {
      const { tables, legs, left } = await runInLegs(
        answer,
        settings({ completeness: 'repair' }),
        pagesPerLeg,
      )
      expect(tables).toEqual(plain.tables)
      expect(left).toEqual([])
      if (pagesPerLeg === 1) expect(legs).toBeGreaterThan(2)
    }
  })
})

describe('the recording of a pass', () => {
  it('has a bound in bytes, and leaves nothing when it is discarded', () => {
    const folder = mkdtempSync(join(tmpdir(), 'recording-'))
    try {
      const recording = new PassRecording(folder, 'pass-1', undefined, 20)
      recording.add(one(1, 2))
      recording.save()
      expect(readdirSync(folder)).toEqual(['pass-1'])
      expect(() => recording.add(one(3))).toThrow(/keeps at most 0 MiB of rows/)
      recording.discard()
      expect(readdirSync(folder)).toEqual([])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
