import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ExtractResult, extract, type KeptWindows } from '#lib/extractor/run/extract.ts'
import { startApi } from '../../api-server.ts'
import { configuration, extractFrom, readTables, runExtraction, type Settings } from '../../run-extraction.ts'
import { type Issue, issuesApi } from './issues-api.ts'
import { job, now, perRepo } from './window-jobs.ts'

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
