import { describe, expect, it } from 'vitest'
import { runExtraction, type Settings } from '../../run-extraction.ts'
import { runInLegs } from '../../run-in-legs.ts'

const jobs = (...all: object[]): Settings => ({ config: { jobs: all } })

const withRecords = (records: unknown): Settings => jobs({ endpoint: 'items', records })

describe('records', () => {
  it.each<[unknown, unknown[], string]>([
    [[{ rename: { 'a.b': 'c.d' } }], [{ a: { b: 1 } }], '"c_d"\n"1"\n'],
    [[{ remove: 'l[].x' }, { flatten: 'l' }], [{ i: 1, l: { x: 1, y: 2 } }], '"i","l_y"\n"1","2"\n'],
    [[{ add: { t: { row: 'list' } } }, { explode: 't' }], [{ list: [1, 2] }], ''],
    [[{ add: { n: null } }], [{ i: 1 }], '"i","n"\n"1",""\n'],
    [[{ explode: { path: 'l', empty: 'drop' } }], [{ i: 1 }, { i: 2, l: 3 }], '"i","l"\n"2","3"\n'],
    [[{ cast: { i: 'integer' } }], ['x', 'y'], '"data"\n"x"\n"y"\n'],
    [[], [{ i: 1 }], '"i"\n"1"\n'],
  ])('%j of %j', async (records, items, table) => {
    const { tables, error } = await runExtraction(() => items, withRecords(records))
    expect(error).toBeUndefined()
    if (table !== '') expect(tables['items']).toBe(table)
  })

  it.each<[unknown, unknown[], string]>([
    [[{ rename: { 'a.b': 'c' } }], [{ a: { b: 1 }, c: 2 }], 'extractor.records.nameTaken'],
    [[{ rename: { a: 'c.d' } }], [{ a: 1, c: 2 }], 'extractor.records.nameTaken'],
    [[{ add: { 'a.b': 1 } }], [{ a: 'x' }], 'extractor.records.nameTaken'],
    [[{ flatten: {} }], [{ a: { b: 1 }, a_b: 2 }], 'extractor.records.nameTaken'],
    [[{ explode: { path: 'l', index: 'i' } }], [{ i: 1, l: [2] }], 'extractor.records.nameTaken'],
    [[{ cast: { a: 'date' } }], [{ a: 'soon' }], 'extractor.records.cast'],
    [[{ add: { a: { attr: 'none' } } }], [{ b: 1 }], 'extractor.functions.notFound'],
  ])('%j of %j is an error', async (records, items, code) => {
    const { error } = await runExtraction(() => items, withRecords(records))
    expect((error as { code?: string } | undefined)?.code).toBe(code)
    expect(error).toMatchObject({ params: { job: '0', dataType: 'items' } })
  })

  it.each<[unknown, string]>([
    [[{ rename: { a: 'b' }, remove: 'c' }], 'exactly one key'],
    [[{}], 'exactly one key'],
    [[{ rename: { a: 'c', b: 'c' } }], 'cannot both be renamed'],
    [[{ rename: { a: 'c', 'a.b': 'd' } }], 'holds another'],
    [[{ rename: { 'l[].a': 'a' } }], 'cannot leave its list'],
    [[{ rename: { 'l[]': 'a' } }], 'is not a path'],
    [[{ remove: 'a..b' }], 'must be a path'],
    [[{ add: { 'l[].a': 1 } }], 'is not a path'],
    [[{ explode: 'l[].a' }], 'must not go through a list'],
    [[{ cast: { a: { to: 'integer', format: 'd' } } }], '"format" belongs to'],
    [[{ cast: { a: { to: 'date', format: '--' } } }], 'has no letter'],
    [[{ cast: { a: { to: 'number', format: '39,2' } } }], 'two counts of digits'],
    [[{ cast: { a: 'integer' } }, { remove: 'b' }], '"cast" comes last'],
    [[{ flaten: 'a' }], 'did you mean "flatten"'],
  ])('%j are refused', async (records, message) => {
    const { error, requests } = await runExtraction(() => [], withRecords(records))
    expect((error as { code?: string } | undefined)?.code).toBe('extractor.config.invalid')
    expect(error?.message).toContain(message)
    expect(requests).toEqual([])
  })

  it('hide nothing from children, filters and marks', async () => {
    const { tables, result } = await runExtraction(
      ({ path }) =>
        path === '/items'
          ? [
              { id: 1, on: true, l: ['x', 'y'] },
              { id: 2, on: false },
            ]
          : [{ n: path }],
      jobs({
        endpoint: 'items',
        incremental: { idKey: 'id', param: 'since', type: 'number' },
        primaryKey: ['key', 'l'],
        records: [{ rename: { id: 'key' } }, { remove: 'on' }, { explode: 'l' }],
        children: [
          {
            endpoint: 'of/{id}',
            dataType: 'of',
            primaryKey: 'n',
            placeholders: { id: 'id' },
            recursionFilter: 'on==1',
          },
        ],
      }),
    )
    expect(tables).toEqual({
      items: '"key","l"\n"1","x"\n"1","y"\n"2",""\n',
      of: '"n","parent_id"\n"/of/1","1"\n',
    })
    expect(result?.finished === true && result.state['millrace']).toMatchObject({
      highWaterMarks: expect.objectContaining({}),
    })
  })

  it('make a list of many elements into as many rows', async () => {
    const list = Array.from({ length: 2_500 }, (_, n) => n)
    const { tables } = await runExtraction(
      () => [{ list }, { list: [1] }],
      withRecords([{ explode: 'list' }]),
    )
    expect(tables['items']?.split('\n').slice(1, -1)).toEqual([...list, 1].map(n => `"${n}"`))
  })

  it('give the same tables and counts in legs', async () => {
    const settings: Settings = {
      api: { pagination: { method: 'pagenum', limit: 2 } },
      ...withRecords([{ explode: 'l' }, { cast: { l: { to: 'integer', invalid: 'empty' } } }]),
    }
    const answer = ({ query }: { query: URLSearchParams }) => {
      const page = Number(query.get('page'))
      return page > 4
        ? []
        : [
            { page, l: [page, 'x'] },
            { page, l: [] },
          ]
    }
    const whole = await runInLegs(answer, settings, 100)
    const parts = await runInLegs(answer, settings, 1)
    expect(parts.legs).toBeGreaterThan(whole.legs)
    expect(parts.tables).toEqual(whole.tables)
    expect(parts.jobs).toEqual(whole.jobs)
    expect(parts.jobs).toMatchObject([{ casts: { l: { empty: 4 } } }])
  })
})

describe('types of columns', () => {
  it.each<[string, object[], object | undefined]>([
    ['one job casts', [{ cast: { a: 'integer' } }], { a: 'INTEGER' }],
    ['both cast alike', [{ cast: { a: 'integer' } }, { cast: { a: 'integer' } }], { a: 'INTEGER' }],
    ['one of two casts', [{ cast: { a: 'integer' } }, { remove: 'x' }], undefined],
    ['they cast to different types', [{ cast: { a: 'integer' } }, { cast: { a: 'number' } }], undefined],
    ['impossible values are kept', [{ cast: { a: { to: 'integer', invalid: 'keep' } } }], undefined],
    ['a nested field is cast', [{ cast: { 'o.b': 'date' } }], { o_b: 'DATE' }],
    ['a later step casts again', [{ cast: { a: 'integer' } }], { a: 'INTEGER' }],
    ['a field of a list is cast', [{ cast: { 'l[].x': 'integer' } }], undefined],
  ])('%s', async (_, steps, types) => {
    const all = steps.map((step, n) => ({ endpoint: `e${n}`, dataType: 'items', records: [step] }))
    const { result } = await runExtraction(
      () => [{ a: 1, o: { b: '2026-01-01' }, l: [{ x: 1 }] }],
      jobs(...all),
    )
    if (result?.finished !== true) throw new Error('It was to finish')
    const found = result.tables.flatMap(({ columnTypes = {} }) => Object.entries(columnTypes))
    expect(found.map(([column, { basetype }]) => [column, basetype])).toEqual(Object.entries(types ?? {}))
  })
})
