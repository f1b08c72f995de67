import { describe, expect, it } from 'vitest'
import { Pagination } from '#lib/extractor/config/pagination-schema.ts'
import { createPaginator } from '#lib/extractor/paging/create-paginator.ts'
import { findLink } from '#lib/extractor/paging/next-address.ts'
import { buildEndpoint } from '#lib/extractor/requests/http/outgoing-request.ts'
import type { PageRequest, RequestOptions } from '#lib/extractor/requests/http/page-request.ts'
import { createLog, createMasker } from '#lib/extractor/requests/masking/masker.ts'
import type { Json } from '#lib/json/json-value.ts'

const log = createLog(() => {}, createMasker(), false)

interface PageShape {
  response?: Json
  items?: Json[]
  headers?: Record<string, string>
}

/** The requests of a job for the given pages; `undefined` where it ends. */
const requests = (
  config: object,
  pages: PageShape[],
  job: RequestOptions = {},
  options: { defaults?: RequestOptions; scroller?: string; now?: number } = {},
): (PageRequest | undefined)[] => {
  const { defaults = {}, scroller, now = 1_700_000_000 } = options
  const input = { job: { endpoint: 'items', ...job }, defaults, now: () => now, log }
  const paginator = createPaginator(Pagination.parse(config), scroller, input)
  const result: (PageRequest | undefined)[] = [paginator.first]
  const progress = { pages: 0, items: 0, volume: 0, startedAt: now - 10 }
  for (const { response = {}, items = [], headers = {} } of pages) {
    const previous = result.at(-1)
    if (previous === undefined) break
    progress.pages++
    progress.items += items.length
    const page = { response, items, headers, url: 'https://api.example/v1/items?page=1' }
    result.push(
      paginator.stop(page, progress, now) === undefined ? paginator.next(page, previous) : undefined,
    )
  }
  return result
}

const params = (sent: (PageRequest | undefined)[]) => sent.map(request => request?.params)
const two = { items: [{ id: 1 }, { id: 2 }] }
const one = { items: [{ id: 3 }] }

describe('offset', () => {
  const offset = { method: 'offset', limit: 2 }

  it('takes the limit from a job param, always, and keeps its place', () => {
    const sent = params(requests(offset, [one, { items: [] }], { params: { limit: '1', a: 'b' } }))
    expect(sent).toEqual([{ limit: 1, a: 'b', offset: 0 }, { limit: 1, a: 'b', offset: 1 }, undefined])
    expect(Object.keys(sent[0] ?? {})).toEqual(['limit', 'a', 'offset'])
  })

  it('section 4.3 rule 2: `offsetParam` of the job is ignored, on page 1 too, unless it is configured to start there', () => {
    const job = { params: { offset: 10 } }
    const bare = { ...offset, firstPageParams: false }
    expect(params(requests(bare, [two], { params: { offset: 10, a: 1 } }))).toEqual([
      { a: 1 },
      { a: 1, limit: 2, offset: 2 },
    ])
    expect(params(requests({ ...bare, offsetFromJob: true }, [two], job))[0]).toEqual({ offset: 10 })
    expect(params(requests(offset, [two], job))).toEqual([
      { limit: 2, offset: 0 },
      { limit: 2, offset: 2 },
    ])
    expect(params(requests({ ...offset, offsetFromJob: true }, [two], job))).toEqual([
      { limit: 2, offset: 10 },
      { limit: 2, offset: 12 },
    ])
  })

  it('lays the defaults below every page', () => {
    const sent = requests(offset, [two], {}, { defaults: { params: { key: 'k' } } })
    expect(params(sent)).toEqual([
      { key: 'k', limit: 2, offset: 0 },
      { key: 'k', limit: 2, offset: 2 },
    ])
  })
})

describe('pagenum', () => {
  it('with a limit stops after a page that is not full; the job overrides the limit but not the page', () => {
    const config = { method: 'pagenum', limit: 9, limitParam: 'count', pageParam: 'set', firstPage: 0 }
    const sent = requests(config, [two, one], { params: { count: 2, set: 5 } })
    expect(params(sent)).toEqual([{ count: 2, set: 0 }, { count: 2, set: 1 }, undefined])
  })
})

describe('response.url', () => {
  it('keeps all values of a query, with paramIsQuery', () => {
    const isQuery = { method: 'response.url', paramIsQuery: true }
    const [, sent] = requests(isQuery, [{ response: { next_page: '?tag=red&p=2&tag=blue' } }])
    const next = sent as PageRequest // it is the second page
    expect(buildEndpoint(next)).toBe('items?tag=red&tag=blue&p=2')
    expect(buildEndpoint(next, { compat: true })).toBe('items?tag%5B0%5D=red&tag%5B1%5D=blue&p=2')
  })

  it.each(['', '?', '??'])('for Zendesk sees start_time in a query that begins with "%s"', prefix => {
    const zendesk = { method: 'zendesk.response.url', paramIsQuery: true }
    const page = (start: number) => [{ response: { next_page: `${prefix}page=2&start_time=${start}` } }]
    expect(requests(zendesk, page(1_700_000_000 - 100))[1]).toBeUndefined()
    expect(requests(zendesk, page(1_700_000_000 - 1000))[1]?.params).toMatchObject({ page: '2' })
  })
})

describe('response.param', () => {
  const config = { method: 'response.param', responseParam: 'meta.next', queryParam: 'cursor' }

  it.each([[''], [0], ['0'], [null], [false]])('stops when the value is %j', value => {
    expect(requests(config, [{ response: { meta: { next: value } } }])[1]).toBeUndefined()
  })

  it('sends the value, and the job params only with includeParams', () => {
    const pages = [{ response: { meta: { next: 'abc' } } }]
    expect(requests(config, pages, { params: { a: 1 } })[1]?.params).toEqual({ cursor: 'abc' })
    expect(requests({ ...config, includeParams: true }, pages, { params: { a: 1 } })[1]?.params).toEqual({
      a: 1,
      cursor: 'abc',
    })
  })
})

describe('cursor', () => {
  const config = { method: 'cursor', idKey: 'id', param: 'since' }

  it('counts texts of digits and ids beyond a double exactly', () => {
    const sent = requests({ ...config, increment: 1 }, [{ items: [{ id: '9007199254740993' }, { id: 5 }] }])
    expect(JSON.stringify(sent[1]?.params)).toBe('{"since":9007199254740994}')
  })

  it('refuses a value that is not numeric', () => {
    expect(() => requests(config, [{ items: [{ id: 'x1' }] }])).toThrow(`Cursor value '"x1"' is not numeric.`)
    expect(() => requests(config, [{ items: [{}] }])).toThrow("Cursor value 'null' is not numeric.")
  })
})

describe('header-link', () => {
  it.each([
    ['<https://a.example/x?page=2>; rel="next"', 'https://a.example/x?page=2'],
    ['<https://a.example/x?a=1,2>; rel=next; title="a, b"', 'https://a.example/x?a=1,2'],
    ['<p>; rel="prev", <n>; rel="last next"', 'n'],
    ['<p>; title="rel=\\"next\\""; rel="prev"', undefined],
    ['', undefined],
    ['<n>; crossorigin; rel="next"', 'n'],
    ['<n>; rel="prev\tnext"', 'n'],
    ["<n>; rel=next; title*=x, <m>; rel=last; title*=UTF-8''%E9", 'n'],
    ['<p>; rel=prev,, <n>; rel=next', 'n'],
    ['none, <n>; rel=next', 'n'],
    ["<p>; title='a, b; rel=x'; rel='prev', <n>; rel='last next'", 'n'],
    ['<n>;REL = NEXT', 'n'],
    ['<n>; title="a;rel=prev"; rel="next"; rel="prev"', 'n'],
    ['https://a.example/x?ids=1,2; rel="next"', 'https://a.example/x?ids=1,2'],
    ['/p; rel=prev, /n; rel=next', '/n'],
    ['<https://a.example/;rel=next>; rel=prev', undefined],
    ['<p>; title="open, <n>; rel=next', 'n'],
  ])('finds the next link in %s', (field, target) => {
    expect(findLink(field, 'next')).toBe(target)
  })

  it('reads what is meant to be slow in its length', () => {
    expect(findLink(`${'<"\\" ,'.repeat(40_000)}<n>; rel=next`, 'next')).toBe('n')
  })

  it('resolves it against the page and ends without one', () => {
    const sent = requests({ method: 'header-link' }, [{ headers: { link: '<?page=2>; rel="next"' } }, {}])
    expect(sent[1]?.endpoint).toBe('https://api.example/v1/items?page=2')
    expect(sent[2]).toBeUndefined()
  })
})

describe('json-cursor', () => {
  it.each([
    ['text', ['01H', '01K', '01J'], '01K'],
    ['date', ['2026-01-02', '2026-01-10T00:00:00Z', '2026-01-09'], '2026-01-10T00:00:00Z'],
    ['number', [9, '10', 2], '10'],
  ])('takes the largest of the items as %s', (type, values, largest) => {
    const config = { method: 'json-cursor', param: 'after', idKey: 'v', type }
    const sent = requests(config, [{ items: values.map(v => ({ v })) }])
    expect(params(sent)).toEqual([{}, { after: largest }])
  })
})

describe('stop rules', () => {
  const endsAfter = (rules: object, pages: PageShape[]): number =>
    requests({ method: 'pagenum', ...rules }, pages).indexOf(undefined)

  it.each([
    [{ nextPageFlag: { field: 'more', stopOn: false } }, [{ more: true }, { more: false }], 2],
    [{ nextPageFlag: { field: 'last', stopOn: true, ifNotSet: false } }, [{}, { last: 1 }], 2],
    [{ nextPageFlag: { field: 'last', stopOn: true } }, [{}], 1],
    [{ nextPageFlag: { field: 'more', stopOn: false } }, [[1]], 1],
  ])('%j', (rules, responses, pages) => {
    expect(
      endsAfter(
        rules,
        responses.map(response => ({ response: response as Json, items: [1] })),
      ),
    ).toBe(pages)
  })

  it.each([
    [{ forceStop: { pages: 2 } }, 2],
    [{ forceStop: { time: 10 } }, 1],
    [{ forceStop: { time: '5 seconds' } }, 1],
    [{ forceStop: { time: '1 hour' } }, -1],
    [{ limitStop: { count: 3 } }, 2],
    [{ limitStop: { field: 'total' } }, 2],
    [{ limitStop: { field: 'missing' } }, 1],
  ])('%j stops after page %i', (rules, pages) => {
    const page = { response: { total: '4' }, items: [1, 2] }
    expect(endsAfter(rules, [page, page, page])).toBe(pages)
  })
})
