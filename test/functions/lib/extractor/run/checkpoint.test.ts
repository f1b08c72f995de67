import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extract } from '#lib/extractor/run/extract.ts'
import { type Answer, startApi } from '../api-server.ts'
import { configuration, readTables, type Settings } from '../run-extraction.ts'
import { runInLegs } from '../run-in-legs.ts'

/** Users in pages, each with orders in pages, each with one detail. */
const shop: Answer = ({ path, query }) => {
  const page = Number(query.get('page') ?? 1)
  if (path === '/users')
    return {
      users:
        page > 3
          ? []
          : [
              { id: `${page}a`, tags: ['x', 'y'] },
              { id: `${page}b`, n: 12345678901234567890n.toString() },
            ],
    }
  if (path.endsWith('/orders'))
    return page > 2 ? [] : [{ order: `${path.split('/')[2]}-${page}`, [`late${page}`]: page }]
  if (path.startsWith('/detail')) return { detail: path, more: { a: 1 } }
  return page > 2 ? [] : [{ item: page }]
}

/** Tiny rows: in few bytes there are more than there is time for. */
const longList: Answer = ({ path }) =>
  path === '/users' ? { users: [] } : Array.from({ length: 350_001 }, (_, id) => ({ id }))

const settings: Settings = {
  api: { pagination: { method: 'multiple', scrollers: { paged: { method: 'pagenum' } } } },
  config: {
    '#key': 'a-long-secret',
    userData: { run: { time: 'currentStart' } },
    jobs: [
      {
        endpoint: 'users',
        scroller: 'paged',
        params: { key: { attr: '#key' } },
        children: [
          {
            endpoint: 'users/{id}/orders',
            scroller: 'paged',
            placeholders: { id: 'id' },
            children: [
              {
                endpoint: 'detail/{2:id}/{order}',
                dataField: '.',
                dataType: 'detail',
                placeholders: { '2:id': 'id', order: 'order' },
              },
            ],
          },
        ],
      },
      { endpoint: 'items', scroller: 'paged' },
    ],
  },
}

const large: Settings = { config: { jobs: [{ endpoint: 'items', response: { format: 'csv' } }] } }
const largeAnswer: Answer = (_, response) => {
  response.setHeader('content-type', 'text/csv')
  response.end(`id,text\n${Array.from({ length: 30_500 }, (_, id) => `${id},row`).join('\n')}`)
}

describe('a stopped extraction', () => {
  it('gives the same tables, requests, state and summary from any page boundary', async () => {
    const whole = await runInLegs(shop, settings, Number.POSITIVE_INFINITY)
    expect(whole.legs).toBe(1)
    expect(Object.keys(whole.tables).sort()).toEqual([
      'detail',
      'items',
      'users',
      'users_id_orders',
      'users_tags',
    ])
    for (const pagesPerLeg of [1, 2, 3, 5, 8, 13, 21]) {
      const { checkpoints: _, legs, ...again } = await runInLegs(shop, settings, pagesPerLeg)
      const { checkpoints: __, legs: ___, ...once } = whole
      expect(again).toEqual(once)
      expect(legs).toBeGreaterThan(1)
    }
  })

  it('takes up a large answer in its middle, which is asked for once', async () => {
    const {
      checkpoints: _,
      legs: one,
      ...whole
    } = await runInLegs(largeAnswer, large, Number.POSITIVE_INFINITY)
    const { checkpoints, legs, ...again } = await runInLegs(largeAnswer, large, 1)
    expect(again).toEqual(whole)
    expect(one).toBe(1)
    expect(legs).toBeGreaterThan(3)
    expect(again.requests).toEqual(['GET /items '])
    for (const checkpoint of checkpoints) expect(checkpoint.length).toBeLessThan(5_000)
  })

  it.each<[string, Answer, Settings]>([
    ['a page', shop, settings],
    ['a part of a large answer', largeAnswer, large],
    ['a part of a long list', longList, settings],
  ])(
    'gets on by %s in each leg, though the time of all is over before they begin',
    async (_, answer, given) => {
      const {
        checkpoints: _whole,
        legs: one,
        ...whole
      } = await runInLegs(answer, given, Number.POSITIVE_INFINITY)
      const late = { ...given, options: { deadline: 0 } }
      const { checkpoints: _late, legs, ...again } = await runInLegs(answer, late, Number.POSITIVE_INFINITY)
      expect(again).toEqual(whole)
      expect([one, legs > 3]).toEqual([1, true])
    },
  )

  it.each([
    ['offset', { method: 'offset', limit: 2 }],
    ['pagenum', { method: 'pagenum' }],
    ['cursor', { method: 'cursor', idKey: 'id', param: 'since', increment: 1 }],
    ['reverse cursor', { method: 'cursor', idKey: 'neg', param: 'until', reverse: true, increment: -1 }],
    ['response.url', { method: 'response.url', urlKey: 'next' }],
    ['response.param', { method: 'response.param', responseParam: 'token', queryParam: 'since' }],
    ['header-link', { method: 'header-link' }],
    ['json-cursor', { method: 'json-cursor', idKey: 'text', param: 'after' }],
    ['limits', { method: 'pagenum', limitStop: { count: 5 } }],
    ['forced', { method: 'pagenum', forceStop: { pages: 3, volume: 10_000 } }],
  ])('yields each item once and in order, and resumes in the middle, by %s', async (_, pagination) => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 9 }),
        fc.integer({ min: 1, max: 4 }),
        async (total, pagesPerLeg) => {
          const one: Settings = {
            api: { pagination },
            config: { jobs: [{ endpoint: 'rows', dataField: 'items' }] },
          }
          const all = await runInLegs(rows(total), one, Number.POSITIVE_INFINITY)
          const legs = await runInLegs(rows(total), one, pagesPerLeg)
          const limit = 'limitStop' in pagination ? 6 : 'forceStop' in pagination ? 6 : total
          const ids = (all.tables['rows'] ?? '')
            .split('\n')
            .slice(1, -1)
            .map(line => Number(line.split('"')[1]))
          expect(ids).toEqual(Array.from({ length: Math.min(total, limit) }, (_, index) => index + 1))
          expect(legs.tables).toEqual(all.tables)
          expect(legs.requests).toEqual(all.requests)
          expect(legs.state).toEqual(all.state)
        },
      ),
      { numRuns: 6 },
    )
  })

  it('asks never again for an answer that came ahead: by then a server has moved on with it', async () => {
    const scrolls = new Map<string, number>()
    const scroll: Answer = ({ path }, response) => {
      const page = (scrolls.get(path) ?? 0) + 1
      scrolls.set(path, page)
      // Bytes that are no UTF-8 are kept as they are, too
      if (path === '/latin') response.setHeader('content-type', 'application/json; charset=latin1')
      const text = JSON.stringify({
        next: page < 7 ? `${path}?scroll=${page}` : null,
        items: [{ page, text: 'Zoë'.repeat(page) }],
      })
      response.end(Buffer.from(text, path === '/latin' ? 'latin1' : 'utf8'))
    }
    const scrolled: Settings = {
      api: { pagination: { method: 'response.url', urlKey: 'next' } },
      config: { jobs: ['a', 'b', 'latin'].map(endpoint => ({ endpoint, dataField: 'items' })) },
    }
    const whole = await runInLegs(scroll, scrolled, Number.POSITIVE_INFINITY)
    expect(whole.tables['latin']).toContain('"7","ZoëZoë')
    for (const pagesPerLeg of [1, 2, 3, 5]) {
      scrolls.clear()
      const { tables, requests, left } = await runInLegs(scroll, scrolled, pagesPerLeg)
      expect({ tables, requests, left }).toEqual({
        tables: whole.tables,
        requests: whole.requests,
        left: whole.left,
      })
    }
  })

  it('puts its tables together in a leg of its own when its time is over with the last page', async () => {
    const late = { options: { deadline: 0 } }
    const { legs, requests, tables } = await runInLegs(() => [{ id: 1 }], late, Number.POSITIVE_INFINITY)
    expect({ legs, requests, tables }).toEqual({
      legs: 2,
      requests: ['GET /items '],
      tables: { items: '"id"\n"1"\n' },
    })
  })

  it('asks the next run for what changed since its first leg began, a row between two of its legs among it', async () => {
    let clock = 1_700_000_000
    const pages: Answer = ({ query }) => {
      clock += 600
      const page = Number(query.get('page'))
      return page > 4 ? [] : [{ id: page, changed: clock }]
    }
    const job = { endpoint: 'items', primaryKey: ['id'], params: { since: { time: 'previousStart' } } }
    const { legs, state, requests } = await runInLegs(
      pages,
      {
        api: { pagination: { method: 'pagenum' } },
        config: { jobs: [job] },
        options: { now: () => clock, state: { time: { previousStart: 7 } } },
      },
      1,
    )
    expect(legs).toBeGreaterThan(2)
    expect(state).toMatchObject({ time: { previousStart: 1_700_000_000 } })
    expect(requests.every(request => request.includes('since=7'))).toBe(true)
  })

  it.each<[string, number, (page: number) => object, object]>([
    ['becomes a list on page 401', 402, page => ({ id: page, tags: page === 401 ? ['x', 'y'] : 'x' }), {}],
    [
      'takes the name of a parent column on page 50',
      60,
      page => ({ id: page, ...(page === 50 && { parent_id: 'own' }) }),
      { userData: { parent_id: 'ours' } },
    ],
  ])('gives the same tables in legs when a value %s', async (_, count, row, more) => {
    const pages: Answer = ({ query }) => {
      const page = Number(query.get('page'))
      return page > count ? [] : [row(page)]
    }
    const paged: Settings = {
      api: { pagination: { method: 'pagenum' } },
      config: { jobs: [{ endpoint: 'items', ...more }] },
    }
    const whole = await runInLegs(pages, paged, Number.POSITIVE_INFINITY)
    const { tables, requests, state, legs } = await runInLegs(pages, paged, Math.ceil(count / 4))
    expect(legs).toBeGreaterThan(2)
    expect({ tables, requests, state }).toEqual({
      tables: whole.tables,
      requests: whole.requests,
      state: whole.state,
    })
  })

  it('says what is to be said of tables once, in however many legs', async () => {
    const pages: Answer = ({ query }) =>
      Number(query.get('page')) > 4 ? [] : [{ page: query.get('page'), grid: [[1], [2]] }]
    for (const compatLevel of [1, 3]) {
      const said: string[] = []
      const { legs } = await runInLegs(
        pages,
        {
          api: { pagination: { method: 'pagenum' } },
          config: { compatLevel, jobs: [{ endpoint: 'items' }] },
          options: { log: ({ message }) => void said.push(message) },
        },
        1,
      )
      expect(legs).toBeGreaterThan(1)
      expect(said.filter(message => /array/i.test(message))).toHaveLength(1)
    }
  })

  it('notices a server that repeats the last page before the stop', async () => {
    const { tables, requests } = await runInLegs(
      () => ({ items: [{ id: 1 }, { id: 2 }] }),
      {
        api: { pagination: { method: 'offset', limit: 2 } },
      },
      1,
    )
    expect(tables['items']).toBe('"id"\n"1"\n"2"\n')
    expect(requests.length).toBeLessThanOrEqual(3)
  })

  it('resumes in the iteration that was under way', async () => {
    const two: Settings = {
      api: { pagination: { method: 'pagenum' } },
      parameters: { iterations: [{ outputBucket: 'one' }, { outputBucket: 'two' }, { outputBucket: 'one' }] },
    }
    const { checkpoints: _, legs: __, ...all } = await runInLegs(shop, two, Number.POSITIVE_INFINITY)
    const { checkpoints: ___, legs, ...again } = await runInLegs(shop, two, 1)
    expect(again).toEqual(all)
    expect(legs).toBeGreaterThan(3)
    expect(Object.keys(all.tables).sort()).toEqual(['one.items', 'two.items'])
  })

  it('stops while it waits for a retry, without losing the request', async () => {
    let calls = 0
    const server = await startApi((_, response) => {
      if (++calls === 1) {
        response.statusCode = 503
        response.setHeader('Retry-After', '30')
      }
      return [{ id: 1 }]
    })
    const folder = mkdtempSync(join(tmpdir(), 'legs-'))
    const base = {
      config: configuration(server.origin, {}),
      outDir: join(folder, 'out'),
      spoolDir: join(folder, 'spool'),
    }
    const first = await extract({ ...base, deadline: Date.now() + 300 })
    expect(first.finished).toBe(false)
    const second = await extract({ ...base, ...(first.finished ? {} : { checkpoint: first.checkpoint }) })
    expect(second.finished && readTables(base.outDir)).toEqual({ items: '"id"\n"1"\n' })
    expect(calls).toBe(2)
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('leaves nothing behind that a new run in the same folder would read', async () => {
    const server = await startApi(shop)
    const folder = mkdtempSync(join(tmpdir(), 'legs-'))
    const base = {
      config: configuration(server.origin, settings),
      outDir: join(folder, 'out'),
      spoolDir: join(folder, 'spool'),
    }
    const stop = new AbortController()
    const first = await extract({ ...base, signal: stop.signal, onProgress: () => stop.abort() })
    expect(first.finished).toBe(false)
    await extract(base)
    const again = readTables(base.outDir)
    const whole = await runInLegs(shop, settings, Number.POSITIVE_INFINITY)
    expect(Object.keys(again).sort()).toEqual(Object.keys(whole.tables).sort())
    for (const [table, csv] of Object.entries(whole.tables)) {
      expect(again[table]?.split('\n')).toHaveLength(csv.split('\n').length)
    }
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('refuses a checkpoint of another configuration and one that it cannot read', async () => {
    const { checkpoints } = await runInLegs(shop, settings, 1)
    const folder = mkdtempSync(join(tmpdir(), 'legs-'))
    const base = { outDir: join(folder, 'out'), spoolDir: join(folder, 'spool') }
    const other = {
      ...base,
      config: configuration('http://127.0.0.1:9', {}),
      checkpoint: JSON.parse(checkpoints[0] ?? ''),
    }
    await expect(extract(other)).rejects.toThrow('belongs to another configuration')
    await expect(extract({ ...other, checkpoint: { version: 0 } })).rejects.toThrow('cannot be read')
    rmSync(folder, { recursive: true, force: true })
  })
})

/** Two rows a page, by any of the ways to ask for the next. */
const rows =
  (total: number): Answer =>
  ({ query, url }, response) => {
    const all = Array.from({ length: total }, (_, index) => ({
      id: index + 1,
      neg: total - index,
      text: `t${index}`,
      list: [index],
    }))
    const from = query.has('offset')
      ? Number(query.get('offset'))
      : query.has('page')
        ? (Number(query.get('page')) - 1) * 2
        : query.has('since')
          ? Number(query.get('since')) - 1
          : query.has('until')
            ? total - Number(query.get('until'))
            : query.has('after')
              ? Number(query.get('after')?.slice(1)) + 1
              : query.has('at')
                ? Number(query.get('at'))
                : 0
    const items = all.slice(from, from + 2)
    const more = from + 2 < total
    if (more) response.setHeader('X-After', `t${from + 1}`)
    if (more) response.setHeader('Link', `<${url.split('?')[0]}?at=${from + 2}>; rel="next"`)
    return { items, ...(more ? { next: `rows?at=${from + 2}`, token: from + 3 } : {}) }
  }
