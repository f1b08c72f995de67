import { describe, expect, it } from 'vitest'
import type { ExtractResult } from '#lib/extractor/run/extract.ts'
import type { Answer } from '../../api-server.ts'
import { runExtraction, type Settings } from '../../run-extraction.ts'

type Finished = Extract<ExtractResult, { finished: true }>

const marked = { primaryKey: ['id'], completeness: 'warn', deletions: 'column' }

/** A run after one that read the rows 1 to 3. */
const runAfter = async (answer: Answer, api: Settings['api'], job: object = {}) => {
  const kept = { columns: ['id'], given: [], keys: [['1'], ['2'], ['3']] }
  const { result, error, tables } = await runExtraction(answer, {
    ...(api === undefined ? {} : { api }),
    config: { jobs: [{ endpoint: 'items', ...marked, ...job }] },
    options: { state: { millrace: { keySets: { items: kept } } } },
  })
  if (error !== undefined) throw error
  const { state, warnings, summary } = result as Finished
  const { millrace } = state as { millrace: { keySets: { items: { keys: string[][] } } } }
  return {
    table: tables['items'] ?? '',
    keys: millrace.keySets.items.keys.flat().sort(),
    said: warnings.filter(warning => warning.startsWith('Deletions')),
    deleted: summary.jobs[0]?.deleted,
  }
}

const pages =
  (...answers: unknown[]): Answer =>
  ({ query }) =>
    answers[Number(query.get('page') ?? 1) - 1] ?? []

const pagenum = { pagination: { method: 'pagenum' } }
const two = { rows: [{ id: 1 }, { id: 2 }] }
const cursor = { pagination: { method: 'json-cursor', param: 'page', cursorPath: 'next' } }

describe('rows are not marked', () => {
  it.each<[string, RegExp, Settings['api'], object, Answer]>([
    ['a page has no list', /a response had no list of rows/, pagenum, {}, pages(two, { error: 'busy' })],
    [
      'a page has no list at "dataField"',
      /a response had no list of rows/,
      pagenum,
      { dataField: 'rows' },
      pages(two, { rows: null }),
    ],
    ['the API sends one page again', /the API sent the same page twice/, pagenum, {}, pages(two, two)],
    [
      'a cursor does not move',
      /the cursor did not move/,
      cursor,
      {},
      pages({ rows: [{ id: 1 }], next: 2 }, { rows: [{ id: 2 }], next: 2 }),
    ],
    [
      'a response has no page info',
      /a response had no page info/,
      { pagination: { method: 'graphql' } },
      { graphql: { query: '{rows{id}}' }, dataField: 'data.rows' },
      () => ({ data: two }),
    ],
    [
      'the total that ends the job is missing',
      /not known to have all rows/,
      { pagination: { method: 'pagenum', limitStop: { field: 'total' } } },
      {},
      () => two,
    ],
    [
      'no row comes at all',
      /no row was read at all, and the last runs read 3\. .* "whenEmpty": "mark"/,
      pagenum,
      {},
      () => [],
    ],
    [
      'the API says no row, and a total of none',
      /no row was read at all/,
      undefined,
      {},
      () => ({ total: 0, rows: [] }),
    ],
  ])('when %s', async (_, why, api, job, answer) => {
    const { table, keys, said, deleted } = await runAfter(answer, api, job)
    expect(said).toEqual([expect.stringMatching(why)])
    expect(table).not.toContain('"1"\n')
    expect(keys).toEqual(['1', '2', '3'])
    expect(deleted).toBeUndefined()
  })

  it('when a job above had no list', async () => {
    const child = { endpoint: 'b', dataType: 'b', placeholders: { of: 'id' }, ...marked }
    const { result, tables } = await runExtraction(
      ({ path, query }) =>
        path === '/b' ? [{ id: 7 }] : pages([{ id: 1 }], { error: 'busy' })({ query } as never, {} as never),
      {
        ...{ api: pagenum },
        config: {
          silence: 'allow',
          jobs: [{ endpoint: 'a', primaryKey: 'id', completeness: 'warn', children: [child] }],
        },
        options: {
          state: { millrace: { keySets: { b: { columns: ['id'], given: [], keys: [['8']] } } } },
        },
      },
    )
    expect((result as Finished).warnings).toEqual([
      expect.stringMatching(/^Deletions of 'b' were not looked for: job 'a' above it .* no list of rows/),
    ])
    expect(tables['b']).toBe('"id","parent_id","is_deleted"\n"7","1",""\n')
  })
})

describe('rows are marked', () => {
  it.each<[string, Settings['api'], object, Answer]>([
    [
      'the total is reached, and another page has no list',
      pagenum,
      {},
      pages({ total: 2, ...two }, { error: 'none' }),
    ],
    ['the total is reached, and the API sends one page again', pagenum, {}, () => ({ total: 2, ...two })],
    [
      'a limit of pages is reached with the last page',
      { pagination: { method: 'offset', limit: 3, forceStop: { pages: 1 } } },
      {},
      () => two,
    ],
    [
      'a limit of pages is reached with the total',
      { pagination: { method: 'pagenum', forceStop: { pages: 1 } } },
      {},
      () => ({ total: 2, ...two }),
    ],
  ])('when %s', async (_, api, job, answer) => {
    const { table, keys, said, deleted } = await runAfter(answer, api, job)
    expect(said).toEqual([])
    expect(table).toBe('"id","is_deleted"\n"1",""\n"2",""\n"3","1"\n')
    expect(keys).toEqual(['1', '2'])
    expect(deleted).toBe(1)
  })

  it('all of them, when no row comes and "whenEmpty" is "mark"', async () => {
    const { table, keys, deleted } = await runAfter(() => [], pagenum, { deletions: { whenEmpty: 'mark' } })
    expect(table).toBe('"id","is_deleted"\n"1","1"\n"2","1"\n"3","1"\n')
    expect(keys).toEqual([])
    expect(deleted).toBe(3)
  })
})
