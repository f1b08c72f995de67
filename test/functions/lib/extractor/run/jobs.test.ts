import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Answer } from '../api-server.ts'
import { runExtraction } from '../run-extraction.ts'

const urls = (requests: { url: string }[]): string[] => requests.map(({ url }) => url)

/** Keeps requests back until so many have been under way at a time, and each one a moment for more to come. */
const untilTogether = (count: number) => {
  const state = { most: 0 }
  const { promise: together, resolve } = Promise.withResolvers<void>()
  let under = 0
  const hold = async (): Promise<void> => {
    state.most = Math.max(state.most, ++under)
    if (under >= count) resolve()
    await together
    await new Promise(done => setTimeout(done, 10))
    under--
  }
  return { state, hold }
}

describe('the character NUL in a text of an answer', () => {
  const rows = { dataField: 'rows' }
  const bad = '{"rows":[{"id":1,"a":{"b":"ok"}},{"id":2,"a":{"b":"\\u0000"}}]}'
  const cases: [it: string, body: string, job: object, config: object, tables: string[], place: string][] = [
    ['a text', bad.replace('000"', '000x\\\\u0000"'), rows, {}, ['"id","a_b"\n"1","ok"\n"2","x\\u0000"\n'], "1 text, first in 'a.b' of row 2"],
    ['a list', '{"rows":[{"t":["\\u0000","z\\u0000"]}]}', rows, {}, [expect.any(String), expect.stringMatching(/"z"/)], "2 texts, first in 't.0' of row 1"],
    ['a mapped column', bad, rows, { mappings: { items: { id: 'id', 'a.b': 'b' } } }, ['"id","b"\n"1","ok"\n"2",""\n'], "'a.b' of row 2"],
    ['JSON lines', '{"id":1}\n{"id":2,"b":"\\u0000x"}\n', { response: { format: 'jsonl' } }, {}, ['"id","b"\n"1",""\n"2","x"\n'], "'b' of row 2"],
    ['CSV', 'id,b\n1,x\0\n', { response: { format: 'csv' } }, { userData: { by: 'me' } }, ['"id","b","by"\n"1","x","me"\n'], "'b' of row 1"],
  ] // biome-ignore format: one case, one line
  it.each(cases)(
    'in %s is left out and said, with job, path and row',
    async (_, body, job, config, expected, place) => {
      const { result, tables } = await runExtraction(
        (_request, response) => void response.setHeader('content-type', 'application/json').end(body),
        { api: {}, config: { jobs: [{ endpoint: 'items', dataType: 'items', ...job }], ...config } },
      )
      expect(Object.values(tables)).toEqual(expected)
      const said = expect.stringMatching(`^Job 'items' got the character NUL in .*${place}`)
      expect(result).toMatchObject({ warnings: expect.arrayContaining([said]) })
    },
  )
})

describe('null, or an item without fields, is no row', () => {
  const row = '{"id":1}'
  it.each<[string[], number]>([
    [[`{"rows":[null,${row}]}`], 1],
    [[`{"rows":[${row},null,{ },{}]}`], 3],
    [[`{"rows":[null]}`], 1],
    [[`{"rows":[null,null]}`], 2],
    [['{"rows":{}}'], 1],
    [['{"rows":[{}]}'], 1],
    [[`{"rows":[${row}]}`, `{"rows":[null,${row}]}`, `{"rows":[${row},{ \n}]}`], 2],
  ])('%s', async (pages, nothing) => {
    const answer: Answer = ({ url }) =>
      pages[Number(new URL(url, 'http://x').searchParams.get('page')) - 1] ?? '{}'
    const asked = { endpoint: 'items', dataField: 'rows', dataType: 'items' }
    const rows = pages.join('').split(row).length - 1
    const child = { endpoint: 'of/{id}?page=1', placeholders: { id: 'id' }, dataField: 'rows' }
    const ways: [Record<string, unknown>, string, string][] = [
      [{ jobs: [asked] }, '"id"\n', '"1"\n'],
      [{ jobs: [asked], userData: { by: 'me' } }, '"id","by"\n', '"1","me"\n'],
      [{ jobs: [asked], mappings: { items: { id: 'id' } } }, '"id"\n', '"1"\n'],
      [{ jobs: [{ ...asked, children: [child] }] }, '"id"\n', '"1"\n'],
    ]
    for (const [config, header, line] of ways) {
      const { result, error, tables } = await runExtraction(
        async (request, response) => {
          response.setHeader('content-type', 'application/json')
          response.end(await answer(request, response))
        },
        { api: { pagination: { method: 'pagenum', limit: 1, firstPage: 1 } }, config },
      )
      expect(error).toBeUndefined()
      const isMapped = 'mappings' in config
      expect(tables['items']).toBe(rows > 0 || isMapped ? header + line.repeat(rows) : undefined)
      expect(Object.values(tables)).not.toContain('')
      expect(result).toMatchObject({
        warnings: expect.arrayContaining([expect.stringContaining(`Job 'items' got ${nothing} item`)]),
      })
    }
  })

  it('is a row with compat, as in Generic Extractor', async () => {
    const { tables } = await runExtraction(() => [null, { id: 1 }], { options: { compat: true } })
    expect(tables['items']).toBe('"id"\n""\n"1"\n')
  })
})

describe('jobs', () => {
  it('that are equal run once; of several with one id the last', async () => {
    const { requests } = await runExtraction(() => [{ a: 1 }], {
      config: {
        jobs: [{ endpoint: 'a' }, { endpoint: 'a' }, { id: 'x', endpoint: 'b' }, { id: 'x', endpoint: 'c' }],
      },
      options: { concurrency: 1 },
    })
    expect(urls(requests)).toEqual(['/a', '/c'])
  })

  it('resolve endpoints against the base address', async () => {
    const { requests } = await runExtraction(() => [{ a: 1 }], {
      config: { jobs: [{ endpoint: 'a' }, { endpoint: '/b' }, { endpoint: 'c d?x=1' }] },
      options: { concurrency: 1 },
    })
    expect(urls(requests)).toEqual(['/a', '/b', '/c%20d?x=1'])
  })

  it('send params and headers worked out once, by GET, POST and FORM', async () => {
    const params = {
      a: { attr: 'x' },
      n: { deep: [{ function: 'md5', args: ['1'] }] },
      t: true,
      f: false,
      z: null,
    }
    const { requests } = await runExtraction(() => [{ a: 1 }], {
      api: {
        http: {
          headers: { 'X-Api': 'api', 'X-Both': 'api' },
          defaultOptions: { headers: { 'X-Default': 'd' }, params: { d: 1 } },
        },
      },
      config: {
        x: 'y z',
        http: { headers: { 'X-Both': 'config' } },
        jobs: ['GET', 'post', 'FORM'].map(method => ({
          endpoint: method,
          method,
          params,
          headers: { 'X-Job': 'j' },
        })),
      },
      options: { concurrency: 1 },
    })
    expect(requests[0]?.url).toBe(
      '/GET?d=1&a=y+z&n%5Bdeep%5D%5B0%5D=c4ca4238a0b923820dcc509a6f75849b&t=1&f=0',
    )
    expect(requests[1]).toMatchObject({
      method: 'POST',
      body: '{"d":1,"a":"y z","n":{"deep":["c4ca4238a0b923820dcc509a6f75849b"]},"t":true,"f":false,"z":null}',
    })
    expect(requests[2]).toMatchObject({
      method: 'POST',
      body: 'd=1&a=y+z&n%5Bdeep%5D%5B0%5D=c4ca4238a0b923820dcc509a6f75849b&t=1&f=0',
    })
    for (const { headers } of requests) {
      expect(headers).toMatchObject({ 'x-api': 'api', 'x-both': 'config', 'x-default': 'd', 'x-job': 'j' })
    }
  })

  it('send a POST without params as an empty list, and a list as it is', async () => {
    const { requests } = await runExtraction(() => [{ a: 1 }], {
      config: {
        jobs: [
          { endpoint: 'a', method: 'POST' },
          { endpoint: 'b', method: 'POST', params: [1, { x: 'é/' }] },
        ],
      },
      options: { concurrency: 1 },
    })
    expect(requests.map(({ body }) => body)).toEqual(['[]', '[1,{"x":"\\u00e9\\/"}]'])
  })

  it('send empty objects as they are, with compat as empty lists, like Generic Extractor', async () => {
    const jobs = [{ endpoint: 'a', method: 'POST', params: { filter: {}, deep: [{ x: {} }] } }]
    const bodies = await Promise.all(
      [false, true].map(
        async compat =>
          (await runExtraction(() => [{ a: 1 }], { config: { jobs }, options: { compat } })).requests[0]
            ?.body,
      ),
    )
    expect(bodies).toEqual(['{"filter":{},"deep":[{"x":{}}]}', '{"filter":[],"deep":[{"x":[]}]}'])
  })

  it('add user data, the job over the config, evaluated', async () => {
    const { tables } = await runExtraction(() => [{ a: 1 }], {
      config: {
        userData: { c: { attr: 'x' }, both: 'config' },
        x: 7,
        jobs: [
          { endpoint: 'one', userData: { both: 'job' } },
          { endpoint: 'two' },
          { endpoint: 'three', userData: 'scalar' },
        ],
      },
    })
    expect(tables['one']).toBe('"a","c","both"\n"1","7","job"\n')
    expect(tables['two']).toBe('"a","c","both"\n"1","7","config"\n')
    expect(tables['three']).toBe('"a","c","both","job_parent_id"\n"1","7","config","scalar"\n')
  })

  it.each([
    [{ dataField: 'a.b' }, { a: { b: [{ id: 1 }] }, c: [] }, '"id"\n"1"\n'],
    [{ dataField: { path: 'a/b', delimiter: '/' } }, { a: { b: { id: 1 } } }, '"id"\n"1"\n'],
    [{ dataField: '.' }, { id: 1, n: { x: 2 } }, '"id","n_x"\n"1","2"\n'],
    [{}, { meta: 1, rows: [{ id: 1 }] }, '"id"\n"1"\n'],
    [{}, [{ id: 1 }], '"id"\n"1"\n'],
    [
      { responseFilter: ['tags', 'o.x'] },
      [{ tags: ['a'], o: { x: { y: 1 } } }],
      '"tags","o_x"\n"[""a""]","{""y"":1}"\n',
    ],
    [{ responseFilter: 'list[].x' }, [{ list: [{ x: { y: 1 } }] }], undefined],
  ])('select items by %j', async (job, response, csv) => {
    const { tables, error } = await runExtraction(() => response, {
      config: { jobs: [{ endpoint: 'items', ...job }] },
    })
    expect(error).toBeUndefined()
    if (csv !== undefined) expect(tables['items']).toBe(csv)
    else expect(tables['items_list']).toContain('"{""y"":1}"')
  })

  it.each([
    [
      {},
      { a: [], b: [] },
      "More than one array found in response! Use 'dataField' parameter to specify a key to the data array. (endpoint: items, arrays in response root: a, b)",
    ],
    [{}, 'text', 'Unknown response from API.'],
    [{ responseFilter: 'a[]' }, [{ a: 1 }], "Error filtering response. 'a' is not an array."],
  ])('refuse with %j the response %j', async (job, response, message) => {
    const { error } = await runExtraction(() => response, {
      config: { jobs: [{ endpoint: 'items', ...job }] },
    })
    expect(error?.message).toBe(message)
  })

  it.each([
    [{ dataField: 'none' }, { a: [1] }, "dataField 'none' contains no data!"],
    [{}, { more: 1, list: [] }, "dataField 'list' contains no data!"],
    [{}, { a: 1 }, 'No data array found in response! (endpoint: items)'],
  ])('warn of no data with %j', async (job, response, message) => {
    const { logs, tables } = await runExtraction(() => response, {
      config: { jobs: [{ endpoint: 'items', ...job }] },
    })
    expect(logs).toContainEqual({ level: 'warning', message })
    expect(tables).toEqual({})
  })
})

describe('child jobs', () => {
  const tree: Answer = ({ path }) => {
    if (path === '/users')
      return [
        { id: 1, kids: ['a', 'b'] },
        { id: 2, kids: ['c'] },
      ]
    return [{ path }]
  }
  const child = (over: object) => ({
    config: { jobs: [{ endpoint: 'users', children: [{ dataType: 'child', ...over }] }] },
  })

  it('run for every row that passes the filter, in order, with the parent columns', async () => {
    const { tables, requests } = await runExtraction(
      tree,
      child({ endpoint: 'u/{id}', placeholders: { id: 'id' }, recursionFilter: 'id>1' }),
    )
    expect(urls(requests)).toEqual(['/users', '/u/2'])
    expect(tables['child']).toBe('"path","parent_id"\n"/u/2","2"\n')
  })

  it('are compared by all digits of their numbers', async () => {
    const { requests } = await runExtraction(
      ({ path }, response) =>
        response.end(path === '/users' ? '[{"id":9007199254740993},{"id":9007199254740992}]' : '[]'),
      child({ endpoint: 'u/{id}', placeholders: { id: 'id' }, recursionFilter: 'id>9007199254740992' }),
    )
    expect(urls(requests)).toEqual(['/users', '/u/9007199254740993'])
  })

  it('make one request per element of a list, and every combination of several', async () => {
    const { requests } = await runExtraction(tree, {
      ...child({ endpoint: 'u/{id}/{kid}', placeholders: { id: 'id', kid: 'kids' } }),
      options: { concurrency: 1 },
    })
    expect(urls(requests)).toEqual(['/users', '/u/1/a', '/u/1/b', '/u/2/c'])
  })

  it('work out placeholders by functions, urlencode too', async () => {
    const { requests } = await runExtraction(() => [{ name: 'a b/c' }], {
      config: {
        jobs: [
          {
            endpoint: 'x',
            children: [
              {
                endpoint: 'y/{n}',
                placeholders: {
                  n: { path: 'name', function: 'urlencode', args: [{ placeholder: 'value' }] },
                },
              },
            ],
          },
        ],
      },
    })
    expect(urls(requests)).toEqual(['/x', '/y/a+b%2Fc'])
  })

  it.each([
    [{ endpoint: 'u/{x}', placeholders: { x: 'none' } }, 'No value found for x in parent result. (level: 1)'],
    [
      { endpoint: 'u/{2:x}', placeholders: { '2:x': 'id' } },
      'Level 2 not found in parent results! Maximum level: 1',
    ],
    [
      { endpoint: 'u/{x}', placeholders: { x: 'id' }, recursionFilter: 'id' },
      "Operator couldn't be determined",
    ],
  ])('refuse %j', async (job, message) => {
    const { error } = await runExtraction(tree, child(job))
    expect(error?.message).toContain(message)
  })

  it.each([
    ['no row above has', { path: 'address.id', missing: 'skip' }, [], 2, true],
    ['one row above has', { path: 'alias', missing: 'skip' }, ['/u/two'], 1, false],
    [
      'a function leaves out',
      { path: 'id', missing: 'skip', function: 'ifempty', args: ['', null] },
      [],
      undefined,
      false,
    ],
  ])(
    'say it when a value that may be missing is missing everywhere: %s',
    async (_, path, asked, skipped, isSaid) => {
      const { requests, result } = await runExtraction(
        ({ path }) => (path === '/users' ? [{ id: 1 }, { id: 2, alias: 'two' }] : [{ path }]),
        child({ endpoint: 'u/{x}', placeholders: { x: path } }),
      )
      const { summary, warnings } = result?.finished === true ? result : {}
      expect(urls(requests)).toEqual(['/users', ...asked])
      expect(summary?.jobs[1]?.ended['a row above has no value for a placeholder']).toBe(skipped)
      expect(warnings).toEqual(
        isSaid ? [expect.stringContaining("Job 'u/{x}' asked for nothing: all 2 rows")] : [],
      )
    },
  )

  it('never run without placeholders, with a warning', async () => {
    const { requests, logs } = await runExtraction(tree, child({ endpoint: 'same' }))
    expect(urls(requests)).toEqual(['/users'])
    expect(logs).toContainEqual({ level: 'warning', message: "No 'placeholders' set for 'same'" })
  })

  it('keep the order of rows whatever the concurrency and the delays are', async () => {
    const slow = (delays: readonly number[]): Answer => {
      let count = 0
      return async ({ path, query }) => {
        await new Promise(done => setTimeout(done, delays[count++ % delays.length]))
        if (path === '/users')
          return Number(query.get('page')) > 2
            ? []
            : Array.from({ length: 6 }, (_, i) => ({ id: `${query.get('page')}-${i}` }))
        return Number(query.get('page')) > 2 ? [] : [{ path, page: query.get('page') }]
      }
    }
    const settings = (concurrency: number) => ({
      api: { pagination: { method: 'pagenum' } },
      config: {
        jobs: [
          {
            endpoint: 'users',
            children: [{ endpoint: 'u/{id}', dataType: 'child', placeholders: { id: 'id' } }],
          },
        ],
      },
      options: { concurrency },
    })
    const sequential = await runExtraction(slow([0]), settings(1))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 1, maxLength: 7 }),
        fc.integer({ min: 2, max: 9 }),
        async (delays, concurrency) => {
          const parallel = await runExtraction(slow(delays), settings(concurrency))
          expect(parallel.tables).toEqual(sequential.tables)
          expect(urls(parallel.requests).sort()).toEqual(urls(sequential.requests).sort())
        },
      ),
      { numRuns: 8 },
    )
  })

  it('work with a page of very many rows', async () => {
    const many = 150_000
    const { requests, result } = await runExtraction(
      ({ path }) => (path === '/users' ? Array.from({ length: many }, (_, id) => ({ id })) : [{ path }]),
      {
        ...child({ endpoint: 'u/{id}', placeholders: { id: 'id' }, recursionFilter: 'id>149995' }),
      },
    )
    expect(requests).toHaveLength(5)
    expect(result?.summary.rows).toBe(many + 4)
  })

  it('overlap up to the limit, and no further', async () => {
    const { state, hold } = untilTogether(5)
    await runExtraction(
      async ({ path }) => {
        if (path !== '/users') await hold()
        return path === '/users' ? Array.from({ length: 20 }, (_, id) => ({ id })) : [{ path }]
      },
      { ...child({ endpoint: 'u/{id}', placeholders: { id: 'id' } }), api: { http: { maxConcurrency: 5 } } },
    )
    expect(state.most).toBe(5)
  })
})

describe('top-level jobs', () => {
  const counting = (together = 1) => {
    const { state, hold } = untilTogether(together)
    const answer: Answer = async ({ path, query }) => {
      await hold()
      return Number(query.get('page')) > 3 ? [] : [{ path, page: query.get('page') }]
    }
    return { state, answer }
  }
  const api = { pagination: { method: 'pagenum' } }

  it('run side by side when they write to different tables', async () => {
    const { state, answer } = counting(3)
    const { tables } = await runExtraction(answer, {
      api,
      config: { jobs: [{ endpoint: 'a' }, { endpoint: 'b' }, { endpoint: 'c' }] },
    })
    expect(state.most).toBe(3)
    expect(tables['b']).toBe('"path","page"\n"/b","1"\n"/b","2"\n"/b","3"\n')
  })

  it.each([
    ['could share a table', 't', 't', 'GET'],
    ['could share the table of a list', 't', 't_x', 'GET'],
    ['have names that are cleaned alike', 'a/b', 'a.b', 'GET'],
    ['may change something at the API', 'one', 'two', 'POST'],
  ])('wait for each other when they %s', async (_, first, second, method) => {
    const { state, answer } = counting()
    const jobs = [
      { endpoint: 'a', dataType: first, method },
      { endpoint: 'b', dataType: second },
    ]
    const paging = method === 'GET' ? { api } : {}
    const { error } = await runExtraction(answer, { ...paging, config: { jobs } })
    expect(error).toBeUndefined()
    expect(state.most).toBe(1)
  })
})
