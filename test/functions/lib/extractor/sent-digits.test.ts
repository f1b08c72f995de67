import { expect, it } from 'vitest'
import { parseJson } from '#lib/json/parse-json.ts'
import { runExtraction, type Settings } from './run-extraction.ts'

const job = (text: string): Settings => ({ config: { jobs: [parseJson(text) as object] } })
const all = (text: string): Settings => ({ config: parseJson(text) as Record<string, unknown> })

/** Where a number of the configuration goes, with `N` for its digits. */
const places: [string, (number: string) => Settings, string][] = [
  ['a query', n => job(`{"endpoint":"items","params":{"a":${n}}}`), 'GET /items?a=N '],
  [
    'a JSON body',
    n => job(`{"endpoint":"items","method":"POST","params":{"a":{"b":[${n}]}}}`),
    'POST /items {"a":{"b":[N]}}',
  ],
  ['a form', n => job(`{"endpoint":"items","method":"FORM","params":{"a":${n}}}`), 'POST /items a=N'],
  [
    'a body beside the query',
    n => job(`{"endpoint":"items","body":{"json":{"a":${n}}}}`),
    'POST /items {"a":N}',
  ],
  [
    'a text body',
    n => job(`{"endpoint":"items","params":{"a":${n}},"body":{"text":"<a>{a}</a>"}}`),
    'POST /items <a>N</a>',
  ],
  [
    'variables of a query',
    n => job(`{"endpoint":"items","method":"POST","params":{"variables":{"id":${n}}}}`),
    'POST /items {"variables":{"id":N}}',
  ],
  ['an endpoint', n => job(`{"endpoint":${n}}`), 'GET /N '],
  [
    'a first mark',
    n =>
      job(
        `{"endpoint":"items","primaryKey":["id"],"incremental":{"idKey":"id","param":"since","initial":${n}}}`,
      ),
    'GET /items?since=N ',
  ],
  [
    'an attribute',
    n => all(`{"mine":${n},"jobs":[{"endpoint":"items","params":{"a":{"attr":"mine"}}}]}`),
    'GET /items?a=N ',
  ],
  [
    'a default',
    n => ({ api: { http: { defaultOptions: parseJson(`{"params":{"a":${n}}}`) } } }),
    'GET /items?a=N ',
  ],
  [
    'the first value of a cursor',
    n => ({
      api: { pagination: { method: 'cursor', idKey: 'id', param: 'a' } },
      ...job(`{"endpoint":"items","params":{"a":${n}}}`),
    }),
    'GET /items?a=N ',
  ],
  ['a header', n => job(`{"endpoint":"items","headers":{"x-a":${n}}}`), 'GET /items N'],
]

it.each(places)('a number of the configuration keeps its digits in %s', async (_place, settings, sent) => {
  for (const number of ['7615917337495251231', '12345678901234567890123', '1.10']) {
    const { requests, error } = await runExtraction(() => [], settings(number))
    expect(error).toBeUndefined()
    const [{ method, url, body, headers } = {} as never] = requests
    expect(`${method} ${decodeURIComponent(url)} ${headers['x-a'] ?? body}`).toBe(sent.replace('N', number))
  }
})

it('user data become columns with their digits', async () => {
  const { tables } = await runExtraction(() => [{ id: 1 }], all('{"userData":{"a":7615917337495251231}}'))
  expect(tables['items']).toContain('7615917337495251231')
})

it('a number under a key of a secret is masked', async () => {
  const secret = all(
    '{"#pin":7615917337495251231,"jobs":[{"endpoint":"items","params":{"pin":{"attr":"#pin"}}}]}',
  )
  const { error, requests } = await runExtraction(({ query }, response) => {
    response.statusCode = 404
    return { message: `no ${query.get('pin')}` }
  }, secret)
  expect(requests[0]?.url).toContain('7615917337495251231')
  expect(error?.message).not.toContain('7615917337495251231')
})

it('settings may be numbers that are written in another way', async () => {
  const { requests, error } = await runExtraction(() => [], {
    api: {
      pagination: parseJson('{"method":"offset","limit":1e1}') as never,
      http: parseJson('{"connectTimeout":30.0}') as never,
    },
  })
  expect([error, requests[0]?.url]).toEqual([undefined, '/items?limit=10&offset=0'])
})
