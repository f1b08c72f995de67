import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { recordExtraction } from '#lib/extractor/cassette/record-extraction.ts'
import { replayExtraction } from '#lib/extractor/cassette/replay-extraction.ts'
import { type ExtractOptions, type ExtractResult, extract } from '#lib/extractor/extract.ts'
import { openAnswerFile } from '#lib/extractor/http/answer-file.ts'
import { type ApiRequest, type ApiServer, startApi } from '../api-server.ts'
import { configuration, readTables, type Settings } from '../run-extraction.ts'

type Finished = Extract<ExtractResult, { finished: true }>

interface Ran {
  tables: Record<string, string>
  result: Finished
}

const NOW = 1_800_000_000

let folder: string
let kept: string
let api: ApiServer
let answer: (request: ApiRequest, response: ServerResponse) => unknown
let runs = 0

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kept-answers-'))
  api = await startApi((request, response) => answer(request, response))
})

beforeEach(() => {
  kept = join(folder, `kept-${++runs}`)
  api.requests.length = 0
})

afterAll(async () => {
  await api.close()
  rmSync(folder, { recursive: true })
})

/** As whoever calls the extractor does: the file of the run takes the place of that before. */
const run = async (
  settings: Settings,
  { pagesPerLeg = Number.POSITIVE_INFINITY, isWhole = false } = {},
): Promise<Ran> => {
  const root = mkdtempSync(join(folder, 'run-'))
  let result: ExtractResult | undefined
  while (result?.finished !== true) {
    const stop = new AbortController()
    let pages = 0
    const leg: Partial<ExtractOptions> =
      result === undefined ? {} : { checkpoint: JSON.parse(JSON.stringify(result.checkpoint)) }
    result = await extract({
      config: configuration(api.origin, settings),
      outDir: join(root, 'out'),
      spoolDir: join(root, 'spool'),
      now: () => NOW,
      signal: stop.signal,
      onProgress: () => {
        if (++pages >= pagesPerLeg) stop.abort()
      },
      ...(isWhole ? {} : { keptAnswers: kept }),
      ...leg,
      ...settings.options,
    })
  }
  if (result.keptAnswers !== undefined) copyFileSync(result.keptAnswers, kept)
  const tables = readTables(join(root, 'out'))
  rmSync(root, { recursive: true })
  return { tables, result }
}

const conditional = { api: { http: { conditional: true } } }

const etagOf = (value: unknown) => `"${createHash('md5').update(JSON.stringify(value)).digest('hex')}"`

/** Answers with an ETag of the value, or with a 304. */
const tagged = ({ headers }: ApiRequest, response: ServerResponse, value: unknown): unknown => {
  response.setHeader('etag', etagOf(value))
  if (headers['if-none-match'] !== etagOf(value)) return value
  response.statusCode = 304
  response.end()
  return undefined
}

const sent = () =>
  api.requests.map(
    ({ url, headers }) => `${url} ${headers['if-none-match'] ?? headers['if-modified-since'] ?? 'whole'}`,
  )

const family = {
  ...conditional,
  config: {
    jobs: [
      {
        endpoint: 'items',
        children: [{ endpoint: 'items/{id}/parts', placeholders: { id: 'id' }, dataField: '.' }],
      },
    ],
  },
}

it('asks for unchanged children at the cost of a 304, and gives the same tables', async () => {
  const parts: Record<string, object[]> = { 1: [{ part: 'a' }], 2: [{ part: 'b' }] }
  answer = (request, response) =>
    tagged(
      request,
      response,
      request.path === '/items' ? [{ id: 1 }, { id: 2 }] : parts[request.path.split('/')[2] ?? ''],
    )
  const first = await run(family)
  expect(first.result.summary.traffic).not.toHaveProperty('unchanged')
  parts[2] = [{ part: 'c' }, { part: 'd' }]
  api.requests.length = 0
  const second = await run(family)
  expect(second.result.summary.traffic).toMatchObject({ requests: 3, unchanged: 2 })
  expect(second.tables['items_id_parts'] ?? Object.values(second.tables).join()).toContain('d')
  const third = await run(family)
  expect(third.result.summary.traffic).toMatchObject({ requests: 3, unchanged: 3 })
  expect(third.tables).toEqual(second.tables)
  expect(third.tables).toEqual((await run(family, { isWhole: true })).tables)
  expect(third.result.state).toEqual(second.result.state)
})

interface World {
  pages: number[][]
  /** Bodies of a page alone make its ETag. */
  ofBody: boolean
  validator: 'etag' | 'weak' | 'time' | 'none'
  /** A 304 says nothing but its ETag. */
  isBare: boolean
  changedAt: number
}

/** Pages of ids that follow each other by `Link`; a page is told apart by its number alone. */
const serve =
  (world: () => World) =>
  ({ query, headers, path }: ApiRequest, response: ServerResponse): unknown => {
    const { pages, ofBody, validator, isBare, changedAt } = world()
    if (path.startsWith('/parts'))
      return tagged({ headers } as ApiRequest, response, [{ sum: pages.flat().length }])
    const number = Number(query.get('page') ?? 1)
    const body = (pages[number - 1] ?? []).map(id => ({ id }))
    const link = number < pages.length ? `</items?page=${number + 1}>; rel="next"` : '</items>; rel="first"'
    const tag = etagOf(ofBody ? body : [body, link])
    const etag = validator === 'weak' ? `W/${tag}` : tag
    const modified = new Date(changedAt * 1000).toUTCString()
    if (validator === 'time') response.setHeader('last-modified', modified)
    else if (validator !== 'none') response.setHeader('etag', etag)
    response.setHeader('date', new Date(NOW * 1000).toUTCString())
    const isSame =
      validator === 'time'
        ? headers['if-modified-since'] === modified
        : validator !== 'none' && headers['if-none-match'] === etag
    if (!(isSame && isBare)) response.setHeader('link', link)
    if (!isSame) return body
    response.statusCode = 304
    response.end()
    return undefined
  }

it('gives the tables of a run without conditional requests, whatever changes on the server', async () => {
  const world = fc.record({
    pages: fc.array(fc.constantFrom<number[]>([1], [2], [1, 3], []), { minLength: 1, maxLength: 4 }),
    pagesPerLeg: fc.constantFrom(1, 2, 100),
  })
  const server = fc.record({
    ofBody: fc.boolean(),
    validator: fc.constantFrom('etag', 'weak', 'time', 'none'),
    isBare: fc.boolean(),
  })
  const settings: Settings = {
    api: { http: { conditional: true }, pagination: { method: 'header-link' } },
    config: {
      jobs: [
        { endpoint: 'items', dataType: 'items' },
        { endpoint: 'parts', dataType: 'parts' },
      ],
    },
  }
  // One that is sure to ask for an answer that has not changed; chance alone may not.
  const same = { pages: [[1], [2]], pagesPerLeg: 100 }
  const certain: [{ ofBody: boolean; validator: string; isBare: boolean }, (typeof same)[]] = [
    { ofBody: true, validator: 'etag', isBare: false },
    [same, same],
  ]
  let conditionals = 0
  await fc.assert(
    fc.asyncProperty(server, fc.array(world, { minLength: 2, maxLength: 4 }), async (kind, steps) => {
      kept = join(folder, `kept-${++runs}`)
      for (const [index, { pages, pagesPerLeg }] of steps.entries()) {
        // A time of its own for each change, none of them new
        answer = serve(() => ({ pages, ...kind, changedAt: NOW - 100_000 + index * 100 }))
        const asked = await run(settings, { pagesPerLeg })
        const whole = await run(settings, { isWhole: true })
        expect(asked.tables).toEqual(whole.tables)
        expect(asked.result.state).toEqual(whole.result.state)
        conditionals += asked.result.summary.traffic.unchanged ?? 0
      }
    }),
    { numRuns: 8, examples: [certain] },
  )
  expect(conditionals).toBeGreaterThan(0)
})

it('asks for the last page by "Link" as a whole, and for the others when a 304 says no link', async () => {
  let pages = [[1], [2]]
  let isBare = false
  answer = serve(() => ({ pages, ofBody: true, validator: 'etag', isBare, changedAt: 0 }))
  const settings: Settings = {
    api: { http: { conditional: true, maxConcurrency: 1 }, pagination: { method: 'header-link' } },
  }
  await run(settings)
  api.requests.length = 0
  expect((await run(settings)).result.summary.traffic).toMatchObject({ requests: 2, unchanged: 1 })
  expect(sent()).toEqual([expect.stringMatching(/^\/items "/), '/items?page=2 whole'])
  isBare = true
  pages = [[1], [2], [3]]
  api.requests.length = 0
  expect((await run(settings)).tables['items']).toBe('"id"\n"1"\n"2"\n"3"\n')
  expect(sent()).toEqual([
    expect.stringMatching(/^\/items "/),
    '/items whole',
    '/items?page=2 whole',
    '/items?page=3 whole',
  ])
})

it.each([
  ['no-store', { 'cache-control': 'private, no-store' }],
  ['any request header', { vary: '*' }],
  [
    'a time that is too new to be sure',
    {
      etag: '',
      'last-modified': new Date(NOW * 1000 - 5_000).toUTCString(),
      date: new Date(NOW * 1000).toUTCString(),
    },
  ],
])('keeps no answer with %s', async (_, headers) => {
  answer = (request, response) => {
    const value = tagged(request, response, [{ id: 1 }])
    for (const [name, text] of Object.entries(headers)) response.setHeader(name, text)
    return value
  }
  await run(conditional)
  await run(conditional)
  expect(sent()).toEqual(['/items whole', '/items whole'])
  expect(existsSync(kept)).toBe(false)
})

it.each([
  ['without the key', {}],
  ['with the key off', { api: { http: { conditional: false } } }],
  [
    'with conditions of its own',
    { api: { http: { conditional: true, headers: { 'Cache-Control': 'no-cache' } } } },
  ],
  [
    'with a proof that nothing is missing',
    { ...conditional, config: { jobs: [{ endpoint: 'items', completeness: 'warn' }] } },
  ],
  [
    'with a rule about headers of good answers',
    {
      api: {
        http: {
          conditional: true,
          errorRules: [{ when: { status: '2xx', header: { name: 'x', exists: true } }, do: 'stop' }],
        },
      },
    },
  ],
  ['in a preview', { ...conditional, options: { maxRows: 3, keptAnswers: undefined } as never }],
])('asks for all of it %s', async (_, settings: Settings) => {
  answer = (request, response) => tagged(request, response, [{ id: 1 }])
  await run(settings)
  await run(settings)
  expect(sent()).toEqual(['/items whole', '/items whole'])
})

it('keeps answers apart by who asks', async () => {
  answer = (request, response) =>
    tagged(request, response, [{ user: `${request.headers['x-user'] ?? request.query.get('user')}`.length }])
  const as = (user: string, way: 'headers' | 'query'): Settings => ({
    api: {
      http: { conditional: true, ...(way === 'headers' ? { headers: { 'X-User': { attr: '#user' } } } : {}) },
      ...(way === 'query' ? { authentication: { type: 'query', query: { user: { attr: '#user' } } } } : {}),
    },
    config: { '#user': user },
  })
  for (const way of ['headers', 'query'] as const) {
    await run(as('anna-with-her-token', way))
    api.requests.length = 0
    await run(as('boris-with-his-token', way))
    await run(as('anna-with-her-token', way))
    await run(as('anna-with-her-token', way))
    expect(api.requests.map(({ headers }) => headers['if-none-match'] !== undefined)).toEqual([
      false,
      false,
      true,
    ])
  }
})

it('keeps neither what was asked for nor a secret, and says which answers it did not keep', async () => {
  const token = 'the-token-of-the-shop'
  answer = (request, response) =>
    tagged(request, response, [
      request.path === '/items' ? { mail: 'anna' } : { echo: request.query.get('token') },
    ])
  const settings: Settings = {
    api: {
      http: { conditional: true },
      authentication: { type: 'query', query: { token: { attr: '#token' } } },
    },
    config: {
      '#token': token,
      jobs: [{ endpoint: 'items', params: { q: 'who-is-it' } }, { endpoint: 'echo' }],
    },
  }
  const { result } = await run(settings)
  expect(result.warnings).toEqual([expect.stringContaining('1 answer is not kept for conditional requests')])
  const text = readFileSync(kept, 'latin1')
  expect(text).toContain('anna')
  for (const hidden of [token, 'who-is-it', 'items', Buffer.from(token).toString('base64')])
    expect(text).not.toContain(hidden)
})

it.each([
  [{ answers: 2 }, 2],
  [{ bytes: 1_000 }, 3],
])('keeps no more than %j', async (limits, count) => {
  answer = (request, response) => tagged(request, response, [{ id: request.path, more: 'x'.repeat(100) }])
  const settings: Settings = {
    api: { http: { conditional: limits, maxConcurrency: 1 } },
    config: { jobs: Array.from({ length: 6 }, (_, index) => ({ endpoint: `${index}`, dataType: 'all' })) },
  }
  const { result } = await run(settings)
  expect(result.summary.traffic.notKept).toBe(6 - count)
  expect(result.warnings).toEqual([expect.stringContaining(`${6 - count} answers are not kept`)])
  expect((await run(settings)).result.summary.traffic).toMatchObject({ unchanged: count, notKept: 6 - count })
})

it('asks anew for what is cut off', async () => {
  answer = (request, response) => tagged(request, response, [{ id: request.path }])
  const settings: Settings = {
    api: { http: { conditional: true, maxConcurrency: 1 } },
    config: {
      jobs: [
        { endpoint: 'a', dataType: 'all' },
        { endpoint: 'b', dataType: 'all' },
      ],
    },
  }
  const whole = await run(settings)
  truncateSync(kept, statSync(kept).size - 1)
  const cut = await run(settings)
  expect(cut.tables).toEqual(whole.tables)
  expect(cut.result.summary.traffic.unchanged).toBe(1)
  expect((await run(settings)).result.summary.traffic.unchanged).toBe(2)
})

it('reads of a damaged file what was written, or nothing', () => {
  const written = openAnswerFile(kept)
  const bodies = ['first', 'second', 'first again'].map(text => Buffer.from(text))
  for (const [index, body] of bodies.entries())
    written.append({ key: index === 1 ? 'b' : 'a', etag: `"${index}"`, headers: { link: '<x>' } }, body)
  const good = readFileSync(kept)
  const found = () => {
    const file = openAnswerFile(kept)
    return ['a', 'b'].map(key => {
      const kept = file.find(key)
      const body = kept && file.body(kept)
      return body && `${kept.etag} ${JSON.stringify(kept.headers)} ${body}`
    })
  }
  const [a, b] = ['"2" {"link":"<x>"} first again', '"1" {"link":"<x>"} second']
  expect(found()).toEqual([a, b])
  for (let at = 0; at < good.length; at += 3) {
    const damaged = Buffer.from(good)
    damaged.writeUInt8(damaged.readUInt8(at) ^ 0x11, at)
    for (const content of [damaged, good.subarray(0, at)]) {
      writeFileSync(kept, content)
      const [ofA, ofB] = found()
      expect([undefined, a, '"0" {"link":"<x>"} first']).toContain(ofA)
      expect([undefined, b]).toContain(ofB)
    }
  }
  writeFileSync(kept, good.subarray(0, good.length - 1))
  openAnswerFile(kept).append({ key: 'c', etag: '"c"', headers: {} }, Buffer.from('third'))
  expect(found()).toEqual(['"0" {"link":"<x>"} first', b])
  const third = openAnswerFile(kept).find('c')
  expect(third && openAnswerFile(kept).body(third)?.toString()).toBe('third')
})

it('counts the bytes of kept answers as those of answers, so that limits end both runs alike', async () => {
  answer = (request, response) => tagged(request, response, [{ id: request.path }])
  const settings: Settings = { ...conditional, api: { ...conditional.api, limits: { bytes: 10_000 } } }
  const first = await run(settings)
  expect((await run(settings)).result.summary.traffic.bytes).toBe(first.result.summary.traffic.bytes)
})

it('takes a 304 that nobody asked for as before', async () => {
  answer = (_, response) => {
    response.statusCode = 304
    response.end()
  }
  await expect(run(conditional)).rejects.toMatchObject({ code: 'extractor.response.json' })
  expect(sent()).toEqual(['/items whole', '/items whole'])
})

it('is recorded with whole answers, and replayed without those of the run before', async () => {
  let pages = [[1], [2]]
  let isBare = false
  answer = serve(() => ({ pages, ofBody: true, validator: 'etag', isBare, changedAt: 0 }))
  const settings: Settings = { api: { http: { conditional: true }, pagination: { method: 'header-link' } } }
  await run(settings)
  for (const bare of [false, true]) {
    isBare = bare
    pages = [[1], [2], [3]]
    const root = mkdtempSync(join(folder, 'recorded-'))
    const config = configuration(api.origin, settings)
    const recording = join(root, 'recording')
    const recorded = await recordExtraction(recording, {
      config,
      outDir: join(root, 'out'),
      spoolDir: join(root, 'spool'),
      keptAnswers: kept,
    })
    expect(recorded).toMatchObject({ isWhole: true, differences: [] })
    const { result } = recorded.end as { result: Finished }
    expect(result.summary.traffic.unchanged ?? 0).toBe(bare ? 0 : 1)
    const replayed = await replayExtraction(recording, {
      config,
      outDir: join(root, 'again'),
      spoolDir: join(root, 'spool-again'),
    })
    expect(replayed.differences).toEqual([])
    expect(readTables(join(root, 'again'))).toEqual({ items: '"id"\n"1"\n"2"\n"3"\n' })
  }
})
