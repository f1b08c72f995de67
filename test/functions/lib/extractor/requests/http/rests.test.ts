import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { ExtractResult } from '#lib/extractor/run/extract.ts'
import { type Answer, startApi } from '../../api-server.ts'
import { extractFrom, type Settings } from '../../run-extraction.ts'

const folder = mkdtempSync(join(tmpdir(), 'rests-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Unfinished = Extract<ExtractResult, { finished: false }>

/** Legs with an hour each, until the extraction ends; between them it is as late as the leg before asked for. */
const inLegs = async (name: string, answer: Answer, settings: Settings = {}) => {
  const api = await startApi(answer)
  const rests: number[] = []
  let now = 1_700_000_000
  let checkpoint: unknown
  try {
    for (;;) {
      const options = { deadline: Date.now() + 3_600_000, now: () => now, spoolDir: join(folder, name) }
      const leg = await extractFrom(api.origin, {
        ...settings,
        options: { ...options, outDir: join(folder, `${name}-out`), ...(checkpoint ? { checkpoint } : {}) },
      })
      if (leg.error !== undefined || leg.result?.finished === true)
        return { ...leg, rests, paths: api.requests.map(({ path }) => path) }
      const { resumeInSeconds, checkpoint: next } = leg.result as Unfinished
      rests.push(resumeInSeconds)
      now += resumeInSeconds
      checkpoint = JSON.parse(JSON.stringify(next))
    }
  } finally {
    await api.close()
  }
}

const busy =
  (times: number, seconds: number, status = 503): Answer =>
  (_, response) => {
    if (times-- <= 0) return [{ id: 1 }]
    response.statusCode = status
    response.setHeader('Retry-After', String(seconds))
    return {}
  }

const about = (seconds: number) => expect.toSatisfy((rest: number) => Math.abs(rest - seconds) < 3)

describe('a leg that has nothing to do but to wait for a retry', () => {
  it.each([503, 429])('ends, for the machine to wait: after %i', async status => {
    const { tables, rests, paths } = await inLegs(`waits-${status}`, busy(2, 600, status))
    expect(rests).toEqual([about(600), about(600)])
    expect(paths).toHaveLength(3)
    expect(tables).toEqual({ items: '"id"\n"1"\n' })
  })

  it('hands on how often and how long it has tried: a request is not tried without end', async () => {
    const retryConfig = { maxTotalSeconds: 1500 }
    const { error, rests } = await inLegs('total', busy(99, 600), { api: { retryConfig } })
    expect([rests.length, error?.message]).toEqual([2, expect.stringContaining('[503]')])
    const few = await inLegs('few', busy(99, 100), { api: { retryConfig: { maxRetries: 1 } } })
    expect([few.rests.length, few.error?.message]).toEqual([1, expect.stringContaining('[503]')])
  })

  it('goes on while another job has something to do', async () => {
    let pages = 0
    const late = busy(1, 600)
    const { rests, paths } = await inLegs(
      'others',
      (request, response) => (request.path === '/late' ? late(request, response) : [{ id: ++pages }]),
      {
        api: { pagination: { method: 'pagenum', forceStop: { pages: 50 } } },
        config: {
          jobs: [
            { endpoint: 'late', scroller: 'none' },
            { endpoint: 'items', dataType: 'other' },
          ],
        },
      },
    )
    expect(rests).toHaveLength(1)
    expect(paths.slice(0, -1)).toContain('/items')
  })

  it('waits itself when that is short', async () => {
    const { rests, paths } = await inLegs('short', busy(1, 1.5))
    expect([rests, paths.length]).toEqual([[], 2])
  })
})
