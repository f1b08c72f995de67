import { mkdtempSync, statSync, truncateSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, expect, it } from 'vitest'
import { recordExtraction } from '#lib/extractor/run/cassette/record-extraction.ts'
import { replayExtraction } from '#lib/extractor/run/cassette/replay-extraction.ts'
import { untilEnd } from '#support/until-end.ts'
import type { ApiRequest } from '../../api-server.ts'
import { configuration, readTables, type Settings } from '../../run-extraction.ts'
import { conditional, etagOf, type Finished, NOW, startConditionalApi, tagged } from './conditional-api.ts'

const server = await untilEnd(startConditionalApi())
beforeEach(() => server.forget())

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
  server.answer = (request, response) =>
    tagged(
      request,
      response,
      request.path === '/items' ? [{ id: 1 }, { id: 2 }] : parts[request.path.split('/')[2] ?? ''],
    )
  const first = await server.run(family)
  expect(first.result.summary.traffic).not.toHaveProperty('unchanged')
  parts[2] = [{ part: 'c' }, { part: 'd' }]
  server.api.requests.length = 0
  const second = await server.run(family)
  expect(second.result.summary.traffic).toMatchObject({ requests: 3, unchanged: 2 })
  expect(second.tables['items_id_parts'] ?? Object.values(second.tables).join()).toContain('d')
  const third = await server.run(family)
  expect(third.result.summary.traffic).toMatchObject({ requests: 3, unchanged: 3 })
  expect(third.tables).toEqual(second.tables)
  expect(third.tables).toEqual((await server.run(family, { isWhole: true })).tables)
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
  const kinds = fc.record({
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
    fc.asyncProperty(kinds, fc.array(world, { minLength: 2, maxLength: 4 }), async (kind, steps) => {
      server.forget()
      for (const [index, { pages, pagesPerLeg }] of steps.entries()) {
        // A time of its own for each change, none of them new
        server.answer = serve(() => ({ pages, ...kind, changedAt: NOW - 100_000 + index * 100 }))
        const asked = await server.run(settings, { pagesPerLeg })
        const whole = await server.run(settings, { isWhole: true })
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
  server.answer = serve(() => ({ pages, ofBody: true, validator: 'etag', isBare, changedAt: 0 }))
  const settings: Settings = {
    api: { http: { conditional: true, maxConcurrency: 1 }, pagination: { method: 'header-link' } },
  }
  await server.run(settings)
  server.api.requests.length = 0
  expect((await server.run(settings)).result.summary.traffic).toMatchObject({ requests: 2, unchanged: 1 })
  expect(server.sent()).toEqual([expect.stringMatching(/^\/items "/), '/items?page=2 whole'])
  isBare = true
  pages = [[1], [2], [3]]
  server.api.requests.length = 0
  expect((await server.run(settings)).tables['items']).toBe('"id"\n"1"\n"2"\n"3"\n')
  expect(server.sent()).toEqual([
    expect.stringMatching(/^\/items "/),
    '/items whole',
    '/items?page=2 whole',
    '/items?page=3 whole',
  ])
})

it('asks anew for what is cut off', async () => {
  server.answer = (request, response) => tagged(request, response, [{ id: request.path }])
  const settings: Settings = {
    api: { http: { conditional: true, maxConcurrency: 1 } },
    config: {
      jobs: [
        { endpoint: 'a', dataType: 'all' },
        { endpoint: 'b', dataType: 'all' },
      ],
    },
  }
  const whole = await server.run(settings)
  truncateSync(server.kept(), statSync(server.kept()).size - 1)
  const cut = await server.run(settings)
  expect(cut.tables).toEqual(whole.tables)
  expect(cut.result.summary.traffic.unchanged).toBe(1)
  expect((await server.run(settings)).result.summary.traffic.unchanged).toBe(2)
})

it('counts the bytes of kept answers as those of answers, so that limits end both runs alike', async () => {
  server.answer = (request, response) => tagged(request, response, [{ id: request.path }])
  const settings: Settings = { ...conditional, api: { ...conditional.api, limits: { bytes: 10_000 } } }
  const first = await server.run(settings)
  expect((await server.run(settings)).result.summary.traffic.bytes).toBe(first.result.summary.traffic.bytes)
})

it('takes a 304 that nobody asked for as before', async () => {
  server.answer = (_, response) => {
    response.statusCode = 304
    response.end()
  }
  await expect(server.run(conditional)).rejects.toMatchObject({ code: 'extractor.response.json' })
  expect(server.sent()).toEqual(['/items whole', '/items whole'])
})

it('is recorded with whole answers, and replayed without those of the run before', async () => {
  let pages = [[1], [2]]
  let isBare = false
  server.answer = serve(() => ({ pages, ofBody: true, validator: 'etag', isBare, changedAt: 0 }))
  const settings: Settings = { api: { http: { conditional: true }, pagination: { method: 'header-link' } } }
  await server.run(settings)
  for (const bare of [false, true]) {
    isBare = bare
    pages = [[1], [2], [3]]
    const root = mkdtempSync(join(server.folder, 'recorded-'))
    const config = configuration(server.api.origin, settings)
    const recording = join(root, 'recording')
    const recorded = await recordExtraction(recording, {
      config,
      outDir: join(root, 'out'),
      spoolDir: join(root, 'spool'),
      keptAnswers: server.kept(),
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
