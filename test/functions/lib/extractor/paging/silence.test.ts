import { describe, expect, it } from 'vitest'
import type { UserError } from '#lib/errors/errors.ts'
import { RunWatch } from '#lib/extractor/paging/completeness.ts'
import type { PageRequest } from '#lib/extractor/requests/http/page-request.ts'
import type { Answer, ApiRequest } from '../api-server.ts'
import { rowCount, runExtraction, type Settings } from '../run-extraction.ts'
import { runInLegs } from '../run-in-legs.ts'

const rows = (count: number, from = 1): { id: number }[] =>
  Array.from({ length: count }, (_, at) => ({ id: from + at }))

const job = (dataField: string, more: object = {}): Settings['config'] => ({
  jobs: [{ endpoint: 'items', dataField, ...more }],
})

const warnings = async (answer: Answer, settings: Settings): Promise<string[]> => {
  const { result, error } = await runExtraction(answer, settings)
  expect(error).toBeUndefined()
  return result?.finished === true ? result.warnings : []
}

describe('equal pages by the header Link', () => {
  it.each([
    ['empty ones', [[1], [], [], [2]], [1, 2]],
    ['those of equal rows', [[5], [5], [6]], [5, 5, 6]],
    ['the last one', [[5], [5]], [5, 5]],
  ])('are all read while it goes on: %s', async (_, pages, expected) => {
    const answer: Answer = ({ url }, response) => {
      const page = Number(new URL(url, 'http://x').searchParams.get('p'))
      if (page < pages.length - 1) response.setHeader('link', `</items?p=${page + 1}>; rel="next"`)
      return pages[page]?.map(id => ({ id }))
    }
    const { tables, result } = await runExtraction(answer, { api: { pagination: { method: 'header-link' } } })
    expect(tables['items']).toBe(`"id"\n${expected.map(id => `"${id}"\n`).join('')}`)
    expect(result).toMatchObject({ warnings: [] })
  })

  it('are the page before when it names that one again', async () => {
    const { tables, requests } = await runExtraction(
      (_, response) => {
        response.setHeader('link', '</items?p=2>; rel="next"')
        return [{ id: 1 }]
      },
      { api: { pagination: { method: 'header-link' } } },
    )
    expect([tables['items'], requests.length]).toEqual(['"id"\n"1"\n', 2])
  })
})

const offset = { pagination: { method: 'offset', limit: 4 } }

describe('a job that ends although the answer shows more', () => {
  it.each([
    ['a total', { total: 9 }, '"pagination"'],
    ['a flag', { has_more: true }, '"nextPageFlag": {"field": "has_more", "stopOn": false}'],
    [
      'a flag in an object',
      { meta: { hasNextPage: true } },
      '{"field": "meta.hasNextPage", "stopOn": false}',
    ],
    ['an address', { links: { next: '/items?p=2' } }, '"method": "response.url", "urlKey": "links.next"'],
    ['an address in an object', { next: { href: 'https://x.test/2' } }, '"urlKey": "next.href"'],
    ['a next page by number', { nextPage: 2 }, '"method": "json-cursor", "cursorPath": "nextPage"'],
    ['a cursor', { meta: { next_cursor: 'b' } }, '"method": "json-cursor", "cursorPath": "meta.next_cursor"'],
  ])('names the key that reads it: %s', async (_, beside, key) => {
    const [said, ...others] = await warnings(() => ({ ...beside, rows: rows(3) }), { config: job('rows') })
    expect(others).toEqual([])
    expect(said).toMatch(/^Job 'items' ended after page 1 because /)
    expect(said).toContain(key)
  })

  it.each([
    ['an amount in the one row there is', { total: 150, error: 'none' }, '.'],
    ['an amount in an object of another kind', { rows: rows(3), sums: { total: 150 } }, 'rows'],
    ['an error that is none', { rows: rows(3), errors: [], error: null, success: true }, 'rows'],
  ])('takes nothing else for more: %s', async (_, answer, dataField) => {
    expect(await warnings(() => answer, { config: job(dataField) })).toEqual([])
  })

  it.each([
    ['rows of another name', () => ({ data: rows(2), took: 3 }), '"data", "took"'],
    ['an error under status 200', () => ({ error: { message: 'slow down' } }), '"error"'],
  ])('names what is there where rows should be: %s', async (_, answer, keys) => {
    expect(await warnings(answer, { config: job('rows') })).toEqual([
      expect.stringContaining(`nothing at "rows", where the answer has ${keys}`),
    ])
  })

  it('names a page that came again, whose rows are not taken twice', async () => {
    expect(await warnings(() => rows(4), { api: offset })).toEqual([
      expect.stringContaining('the API sent the page before again'),
    ])
  })

  it.each([
    ['empty', []],
    ['with the last row again', rows(1, 4)],
  ])('takes a last page for one: %s', async (_, last) => {
    const api = { pagination: { method: 'json-cursor', param: 'after', idKey: 'id' } }
    expect(await warnings(({ query }) => (query.has('after') ? last : rows(4)), { api })).toEqual([])
  })

  it.each([
    ['response.url', { method: 'response.url', urlKey: 'next' }],
    ['json-cursor', { method: 'json-cursor', param: 'after', cursorPath: 'next' }],
    ['header-link', { method: 'header-link' }],
    ['response.param', { method: 'response.param', responseParam: 'next', queryParam: 'after' }],
  ])('takes status 204 for the end of what %s follows, and of no total', async (_, pagination) => {
    const answer =
      (more: object): Answer =>
      ({ query }, response) => {
        if (query.has('after')) return response.writeHead(204).end()
        response.setHeader('link', '</items?after=1>; rel="next"')
        return { rows: rows(4), next: '/items?after=1', ...more }
      }
    const settings = { api: { pagination }, config: job('rows') }
    expect(await warnings(answer({}), settings)).toEqual([])
    expect(await warnings(answer({ total: 9 }), settings)).toEqual([expect.stringContaining('a total of 9')])
  })

  it('says that a connection of GraphQL has a next page, and no cursor that leads there', async () => {
    const pageInfo = { hasNextPage: true, endCursor: null }
    const pagination = {
      method: 'json-cursor',
      param: 'variables.after',
      cursorPath: 'data.items.pageInfo.endCursor',
      nextPageFlag: { field: 'data.items.pageInfo.hasNextPage', stopOn: false },
    }
    const [said, ...others] = await warnings(() => ({ data: { items: { nodes: rows(4), pageInfo } } }), {
      api: { pagination },
      config: job('data.items.nodes', {
        endpoint: 'graphql',
        method: 'POST',
        params: { query: '{ items }' },
      }),
    })
    expect(others).toEqual([])
    expect(said).toContain('"data.items.pageInfo.hasNextPage" is true')
  })

  it('fails with "fail", is silent with "allow", and a job has the last word', async () => {
    const answer = () => ({ has_more: true, rows: rows(3) })
    const failed = await runExtraction(answer, { config: { ...job('rows'), silence: 'fail' } })
    expect((failed.error as UserError).code).toBe('extractor.job.silent')
    expect(failed.tables).toEqual({})
    expect(await warnings(answer, { config: { ...job('rows'), silence: 'allow' } })).toEqual([])
    const config = { ...job('rows', { silence: 'allow' }), silence: 'fail' }
    expect(await warnings(answer, { config })).toEqual([])
  })

  it('compares numbers as numbers: the last of 25 ids is 25', async () => {
    const api = { pagination: { method: 'json-cursor', param: 'after', idKey: 'id' } }
    const { tables } = await runExtraction(
      ({ query }) =>
        rows(25)
          .filter(({ id }) => id > Number(query.get('after') ?? 0))
          .slice(0, 4),
      { api },
    )
    expect(rowCount(tables['items'])).toBe(25)
  })
})

describe('a job that would not end', () => {
  const urls = { api: { pagination: { method: 'response.url', urlKey: 'next' } }, config: job('rows') }
  const cursor = {
    api: { pagination: { method: 'json-cursor', param: 'c', cursorPath: 'next' } },
    config: job('rows'),
  }
  let page = 0

  it.each<[string, (request: ApiRequest) => unknown, Settings]>([
    ['an address of itself', () => ({ at: page++, rows: rows(1, page), next: '/items?p=1' }), urls],
    [
      'addresses in a circle',
      ({ query }) => ({ rows: rows(1, page++), next: `/items?p=${query.get('p') === '1' ? 2 : 1}` }),
      urls,
    ],
    [
      'cursors in a circle',
      ({ query }) => ({ rows: rows(1, page++), next: query.get('c') === 'a' ? 'b' : 'a' }),
      cursor,
    ],
    [
      'a page that never changes, beside a time',
      () => ({ at: page++, rows: rows(4) }),
      { api: { pagination: { method: 'pagenum' } }, config: job('rows') },
    ],
    ['the last page for ever', () => ({ at: page++, rows: rows(4) }), { api: offset, config: job('rows') }],
  ])('ends with an error: %s', async (_, answer, settings) => {
    const { error, requests } = await runExtraction(answer, settings)
    expect((error as UserError | undefined)?.code).toBe('extractor.pagination.endless')
    expect(requests.length).toBeLessThan(6)
  })

  it('is found over checkpoints, and so is what the answer says', async () => {
    const circle = ({ query }: ApiRequest) => ({
      rows: rows(1, page++),
      next: `/items?p=${(Number(query.get('p')) + 1) % 4}`,
    })
    await expect(runInLegs(circle, urls, 1)).rejects.toMatchObject({ code: 'extractor.pagination.endless' })
    const short = ({ query }: ApiRequest) => ({
      total: 99,
      rows: query.get('offset') === '8' ? [] : rows(4, Number(query.get('offset')) + 1),
    })
    const settings = { api: offset, config: { ...job('rows'), silence: 'fail' } }
    await expect(runInLegs(short, settings, 1)).rejects.toMatchObject({ code: 'extractor.job.silent' })
  })

  it('has 1,000,000 pages at most', () => {
    const request: PageRequest = { endpoint: 'items', params: { page: 1 }, method: 'GET', headers: {} }
    const asks = (pages: number) => () => new RunWatch().asks('items', request, pages)
    expect(asks(999_999)).not.toThrow()
    expect(asks(1_000_000)).toThrow('it has more than 1,000,000 pages')
  })
})
