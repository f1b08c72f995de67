import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { UserError } from '#lib/errors/errors.ts'
import { checkConfiguration } from '#lib/extractor/run/check-configuration.ts'
import { KeyLogs } from '#lib/extractor/run/deletions/key-logs.ts'
import { type ExtractResult, extract } from '#lib/extractor/run/extract.ts'
import { runs } from '#support/thorough.ts'
import { untilEnd } from '#support/until-end.ts'
import { type Answer, type ApiServer, startApi } from '../../api-server.ts'
import { configuration, readTables, runExtraction, type Settings } from '../../run-extraction.ts'

const marked = { primaryKey: ['id'], completeness: 'warn', deletions: 'column' }
const items: Settings = {
  api: { pagination: { method: 'offset', limit: 2 } },
  config: { jobs: [{ endpoint: 'items', ...marked, deletions: { whenEmpty: 'mark' } }] },
}

type Finished = Extract<ExtractResult, { finished: true }>

/** Runs in legs of so many pages, each time from the state of the last run. */
const runTo = async ({ origin }: ApiServer, settings: Settings, state: unknown, pagesPerLeg = 100) => {
  const folder = mkdtempSync(join(tmpdir(), 'deletions-'))
  const [outDir, spoolDir] = [join(folder, 'out'), join(folder, 'spool')]
  try {
    let result: ExtractResult | undefined
    while (result?.finished !== true) {
      const stop = new AbortController()
      let pages = 0
      result = await extract({
        config: configuration(origin, settings),
        state: JSON.parse(JSON.stringify(state ?? {})),
        outDir,
        spoolDir,
        signal: stop.signal,
        onProgress: () => ++pages >= pagesPerLeg && stop.abort(),
        ...(result === undefined ? {} : { checkpoint: JSON.parse(JSON.stringify(result.checkpoint)) }),
      })
    }
    return { result: result as Finished, tables: readTables(outDir) } // the loop ends with it
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A table as it is loaded by its key. */
const rowsOf = (csv = ''): Record<string, string>[] => {
  const [header = [], ...rows] = csv
    .trimEnd()
    .split('\n')
    .map(line => line.slice(1, -1).split('","'))
  return rows.map(row => Object.fromEntries(header.map((column, at) => [column, row[at] ?? ''])))
}

const run = fc.record({
  ids: fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 7 }),
  isComplete: fc.boolean(),
  isSaved: fc.boolean(),
  pagesPerLeg: fc.constantFrom(1, 100),
})

describe('rows that are gone', () => {
  it('are marked after each complete run and after no other, whichever runs are lost', async () => {
    let list: number[] = []
    let total = 0
    const server = await untilEnd(
      startApi(({ query }) => {
        const offset = Number(query.get('offset'))
        return { total, rows: list.slice(offset, offset + 2).map(id => ({ id, n: `${id}` })) }
      }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(run, { maxLength: 6 }), async runs => {
        const table = new Map<string, string>()
        let state: unknown
        for (const { ids, isComplete, isSaved, pagesPerLeg } of runs) {
          list = ids
          total = isComplete ? ids.length : ids.length + 1
          const { result, tables } = await runTo(server, items, state, pagesPerLeg)
          if (!isSaved) continue // it died before its tables were loaded
          const before = new Map(table)
          for (const { id = '', is_deleted = '?' } of rowsOf(tables['items'])) table.set(id, is_deleted)
          state = result.state
          const expected = isComplete
            ? [...table].map(([id]) => [id, ids.includes(Number(id)) ? '' : '1'])
            : [...new Map([...before, ...ids.map(id => [`${id}`, ''] as const)])]
          expect([...table].sort()).toEqual(expected.sort())
          expect(result.warnings.filter(text => text.startsWith('Deletions'))).toHaveLength(
            isComplete ? 0 : 1,
          )
        }
      }),
      { numRuns: runs(40) },
    )
  })

  it('are those of vanished parent rows too', async () => {
    let shops: Record<string, number[]> = { x: [1, 2], y: [1] }
    const server = await untilEnd(
      startApi(({ path }) =>
        path === '/shops'
          ? Object.keys(shops).map(id => ({ id }))
          : (shops[path.slice(1, 2)] ?? []).map(no => ({ no })),
      ),
    )
    const orders = {
      endpoint: '{id}/orders',
      dataType: 'orders',
      placeholders: { id: 'id' },
      userData: { source: 'web' },
      primaryKey: 'parent_id,no',
      completeness: 'fail',
      deletions: { column: 'gone' },
    }
    const settings = {
      config: { jobs: [{ endpoint: 'shops', primaryKey: 'id', completeness: 'fail', children: [orders] }] },
    }
    const first = await runTo(server, settings, undefined)
    expect(rowsOf(first.tables['orders']).every(({ gone }) => gone === '')).toBe(true)
    shops = { x: [2, 3] }
    const second = await runTo(server, settings, first.result.state)
    expect(second.tables['orders']).toBe(
      '"no","source","parent_id","gone"\n"2","web","x",""\n"3","web","x",""\n"1","","x","1"\n"1","","y","1"\n',
    )
    expect(second.result.summary.jobs[1]?.deleted).toBe(2)
    const third = await runTo(server, settings, second.result.state)
    expect(rowsOf(third.tables['orders'])).toHaveLength(2)
    expect(third.result.tables[0]).toMatchObject({ name: 'shops' })
  })

  it.each<[string, Settings['api'], Answer]>([
    [
      'an error rule ignored an answer',
      { http: { errorRules: [{ when: { status: 404 }, do: 'ignore' }] } },
      (_, response) => {
        response.statusCode = 404
        return {}
      },
    ],
    [
      'the configuration cut it off',
      { pagination: { method: 'pagenum', forceStop: { pages: 1 } } },
      () => [{ id: 2 }],
    ],
    [
      'the run reached its limit',
      { pagination: { method: 'pagenum' }, limits: { requests: 1, do: 'stop' } },
      () => [{ id: 2 }],
    ],
    ['a row has no key', {}, () => [{ id: 2 }, { no: 1 }]],
  ])('are not looked for when %s, and stay known', async (_, api, answer) => {
    const kept = { columns: ['id'], given: [], keys: [['1']] }
    const { result, error } = await runExtraction(answer, {
      api,
      config: { jobs: [{ endpoint: 'items', ...marked }] },
      options: { state: { millrace: { keySets: { items: kept } } } },
    })
    expect(error).toBeUndefined()
    const { state, warnings } = result as Finished
    expect(warnings).toContainEqual(expect.stringMatching(/^Deletions of 'items' were not looked for/))
    expect(state['millrace']).toMatchObject({ keySets: { items: { keys: expect.arrayContaining([['1']]) } } })
  })

  it.each([
    ['are of other columns', { columns: ['no'], given: [], keys: [['1']] }],
    ['are not there', { file: 'of a scheduled run' }],
  ])('are not looked for when the keys of the last run %s', async (_, kept) => {
    const { result, tables } = await runExtraction(() => [{ id: 2 }], {
      config: { jobs: [{ endpoint: 'items', ...marked }] },
      options: { state: { millrace: { keySets: { items: kept } } } },
    })
    expect(tables['items']).toBe('"id","is_deleted"\n"2",""\n')
    expect((result as Finished).warnings).toHaveLength(1)
  })

  it('are none in a preview, which keeps nothing', async () => {
    const { result, tables } = await runExtraction(() => [{ id: 2 }], { ...items, options: { maxRows: 1 } })
    expect(tables['items']).toBe('"id","is_deleted"\n"2",""\n')
    expect((result as Finished).state).not.toHaveProperty('millrace')
  })

  it('have a column that no field of the rows may have', async () => {
    const { error } = await runExtraction(() => [{ id: 2, is_deleted: true }], items)
    expect((error as UserError).code).toBe('extractor.deletions.columnTaken')
  })

  it('are not looked for among more keys than are kept', () => {
    const folder = mkdtempSync(join(tmpdir(), 'keys-'))
    try {
      const job = { endpoint: 'a', primaryKey: ['id'] }
      const of = { index: 0, path: '0', job, dataType: 'a', column: 'gone', table: 'a' }
      const logs = new KeyLogs(folder, undefined, 1)
      logs.note(of, {}, [{ id: 1 }])
      expect(() => logs.note(of, {}, [{ id: 2 }])).toThrow(/more than 1 rows/)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe('"deletions" is refused', () => {
  const child = { endpoint: 'b', placeholders: { x: 'id' }, ...marked }
  it.each<[string, object[], object, RegExp]>([
    ['without a key', [{ ...marked, primaryKey: '' }], {}, /needs the "primaryKey"/],
    ['without completeness', [{ primaryKey: 'id', deletions: 'column' }], {}, /needs "completeness"/],
    ['with a mark in the key', [{ ...marked, primaryKey: 'is_deleted' }], {}, /cannot be part/],
    [
      'with a name no column has',
      [{ ...marked, deletions: { column: '_deleted' } }],
      {},
      /must be a name that a column can have/,
    ],
    ['as rows', [{ ...marked, deletions: { mode: 'rows' } }], {}, /deletes none/],
    ['for changes only', [{ ...marked, incremental: { idKey: 'at', param: 'since' } }], {}, /needs all rows/],
    [
      'for windows',
      [{ ...marked, id: 'a', incremental: { cursor: 'at', param: 'since', start: '2020-01-01' } }],
      {},
      /needs all rows/,
    ],
    [
      'below a job with windows',
      [{ id: 'a', incremental: { cursor: 'at', param: 'since', start: '2020-01-01' }, children: [child] }],
      {},
      /needs all rows/,
    ],
    [
      'with errors of GraphQL that are only said',
      [{ ...marked, dataField: 'a', graphql: { query: '{a}', errors: 'warn' } }],
      {},
      /such an answer lacks rows/,
    ],
    ['below a job that is not checked', [{ children: [child] }], {}, /in all jobs above/],
    [
      'for a table of two jobs',
      [
        { dataType: 't', ...marked },
        { endpoint: 'b', dataType: 't' },
      ],
      {},
      /no other job writes/,
    ],
    ['with a mapping', [{ dataType: 't', ...marked }], { mappings: { t: { id: 'id' } } }, /mapping of "t"/],
    [
      'with "incrementalOutput": false',
      [marked],
      { incrementalOutput: false },
      /would lose the rows that are marked/,
    ],
    ['with "compat"', [marked], { compat: true }, /does not go with "compat"/],
  ])('%s', (_, jobs, config, message) => {
    const parameters = {
      api: { baseUrl: 'https://api.test/' },
      config: { ...config, jobs: jobs.map(job => ({ endpoint: 'a', ...job })) },
    }
    expect(() => checkConfiguration({ parameters })).toThrow(message)
  })

  it.each<[string, object, object, RegExp]>([
    ['with answers that are ignored', { http: { ignoreErrors: [404] } }, {}, /"api.http.ignoreErrors"/],
    [
      'with another key of the table',
      {},
      { output: { tables: [{ source: 'a', destination: 'in.c-x.a', primary_key: ['no'] }] } },
      /names other columns than "primaryKey"/,
    ],
  ])('%s', (_, api, storage, message) => {
    const parameters = {
      api: { baseUrl: 'https://api.test/', ...api },
      config: { jobs: [{ endpoint: 'a', ...marked }] },
    }
    expect(() => checkConfiguration({ parameters, storage })).toThrow(message)
  })
})
