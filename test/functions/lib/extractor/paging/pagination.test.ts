import { describe, expect, it } from 'vitest'
import { Pagination } from '#lib/extractor/config/pagination-schema.ts'
import { createPaginator } from '#lib/extractor/paging/create-paginator.ts'
import { findLink } from '#lib/extractor/paging/header-link.ts'
import type { PageRequest, RequestOptions } from '#lib/extractor/requests/http/page-request.ts'
import { createLog } from '#lib/extractor/requests/masking/log.ts'
import { createMasker } from '#lib/extractor/requests/masking/masker.ts'
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

  it('grows by the page size and stops after a page shorter than the limit', () => {
    expect(params(requests(offset, [two, two, one]))).toEqual([
      { limit: 2, offset: 0 },
      { limit: 2, offset: 2 },
      { limit: 2, offset: 4 },
      undefined,
    ])
  })

  it('stops after a page without items', () => {
    expect(params(requests(offset, [{ items: [] }]))).toEqual([{ limit: 2, offset: 0 }, undefined])
  })

  it('takes the limit from a job param, always, and keeps its place', () => {
    const sent = params(requests(offset, [one, { items: [] }], { params: { limit: '1', a: 'b' } }))
    expect(sent).toEqual([{ limit: 1, a: 'b', offset: 0 }, { limit: 1, a: 'b', offset: 1 }, undefined])
    expect(Object.keys(sent[0] ?? {})).toEqual(['limit', 'a', 'offset'])
  })

  it('ignores the offset of the job unless it is configured to start there', () => {
    const job = { params: { offset: 10 } }
    expect(params(requests(offset, [two], job))).toEqual([
      { limit: 2, offset: 0 },
      { limit: 2, offset: 2 },
    ])
    expect(params(requests({ ...offset, offsetFromJob: true }, [two], job))).toEqual([
      { limit: 2, offset: 10 },
      { limit: 2, offset: 12 },
    ])
  })

  it('leaves the first page without page parameters, the job params untouched', () => {
    const sent = requests({ ...offset, firstPageParams: false }, [two], { params: { offset: 7 } })
    expect(params(sent)).toEqual([{ offset: 7 }, { limit: 2, offset: 2 }])
  })

  it('renames both parameters', () => {
    const sent = requests({ ...offset, limitParam: 'count', offsetParam: 'skip' }, [two])
    expect(params(sent)).toEqual([
      { count: 2, skip: 0 },
      { count: 2, skip: 2 },
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
  it('counts from one until a page holds no items', () => {
    expect(params(requests({ method: 'pagenum' }, [one, { items: [] }]))).toEqual([
      { page: 1 },
      { page: 2 },
      undefined,
    ])
  })

  it('with a limit stops after a page that is not full; the job overrides the limit but not the page', () => {
    const config = { method: 'pagenum', limit: 9, limitParam: 'count', pageParam: 'set', firstPage: 0 }
    const sent = requests(config, [two, one], { params: { count: 2, set: 5 } })
    expect(params(sent)).toEqual([{ count: 2, set: 0 }, { count: 2, set: 1 }, undefined])
  })

  it('may leave the first page alone', () => {
    expect(params(requests({ method: 'pagenum', firstPageParams: false }, [one]))).toEqual([{}, { page: 2 }])
  })
})

describe('response.url', () => {
  const pages = [{ response: { links: { next: 'items?p=2' } } }, { response: { links: { next: '' } } }]
  const config = { method: 'response.url', urlKey: 'links.next' }

  it('asks for the address in the response, without the job params, until it is empty', () => {
    const sent = requests(config, pages, { params: { a: 1 } })
    expect(sent[1]).toMatchObject({ endpoint: 'items?p=2', params: {} })
    expect(sent[2]).toBeUndefined()
  })

  it('adds the job params with includeParams', () => {
    expect(requests({ ...config, includeParams: true }, pages, { params: { a: 1 } })[1]?.params).toEqual({
      a: 1,
    })
  })

  it('takes the value for a query with paramIsQuery', () => {
    const sent = requests(
      { method: 'response.url', paramIsQuery: true, includeParams: true },
      [{ response: { next_page: '?p=2&a=x%20y' } }],
      { params: { a: 1, b: 2 } },
    )
    expect(sent[1]).toMatchObject({ endpoint: 'items', params: { a: 'x y', b: 2, p: '2' } })
  })

  it('parts the path by its own delimiter', () => {
    const sent = requests({ method: 'response.url', urlKey: 'a.b/c', delimiter: '/' }, [
      { response: { 'a.b': { c: 'n' } } },
    ])
    expect(sent[1]?.endpoint).toBe('n')
  })

  it('for Zendesk stops when start_time is younger than six minutes', () => {
    const zendesk = { method: 'zendesk.response.url' }
    const page = (start: number) => [{ response: { next_page: `https://a.example/x?start_time=${start}` } }]
    expect(requests(zendesk, page(1_700_000_000 - 100))[1]).toBeUndefined()
    expect(requests(zendesk, page(1_700_000_000 - 1000))[1]?.endpoint).toContain('start_time')
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

  it('merges the scroll request into pages from the second on', () => {
    const scrollRequest = { endpoint: 'scroll', method: 'GET', params: { keep: '1m' } }
    const sent = requests({ ...config, scrollRequest }, [{ response: { meta: { next: 'abc' } } }], {
      method: 'POST',
    })
    expect(sent[0]).toMatchObject({ endpoint: 'items', method: 'POST' })
    expect(sent[1]).toMatchObject({
      endpoint: 'scroll',
      method: 'GET',
      params: { keep: '1m', cursor: 'abc' },
    })
  })
})

describe('cursor', () => {
  const config = { method: 'cursor', idKey: 'id', param: 'since' }

  it('sends the largest id of all pages so far, in place of the job param', () => {
    const sent = requests(config, [two, { items: [{ id: 1 }] }, { items: [] }], {
      params: { since: 'first', a: 1 },
    })
    expect(params(sent)).toEqual([
      { since: 'first', a: 1 },
      { since: 2, a: 1 },
      { since: 2, a: 1 },
      undefined,
    ])
  })

  it('with reverse the smallest, plus the increment', () => {
    expect(params(requests({ ...config, reverse: true, increment: -1 }, [two]))).toEqual([{}, { since: 0 }])
  })

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
  ])('finds the next link in %s', (field, target) => {
    expect(findLink(field, 'next')).toBe(target)
  })

  it('resolves it against the page and ends without one', () => {
    const sent = requests({ method: 'header-link' }, [{ headers: { link: '<?page=2>; rel="next"' } }, {}])
    expect(sent[1]?.endpoint).toBe('https://api.example/v1/items?page=2')
    expect(sent[2]).toBeUndefined()
  })
})

describe('json-cursor', () => {
  it('reads the cursor from the response until it is empty', () => {
    const config = { method: 'json-cursor', param: 'after', cursorPath: 'page.end' }
    const sent = requests(config, [
      { response: { page: { end: 'zz' } } },
      { response: { page: { end: null } } },
    ])
    expect(params(sent)).toEqual([{}, { after: 'zz' }, undefined])
  })

  it.each([
    ['text', ['01H', '01K', '01J'], '01K'],
    ['date', ['2026-01-02', '2026-01-10T00:00:00Z', '2026-01-09'], '2026-01-10T00:00:00Z'],
    ['number', [9, '10', 2], '10'],
  ])('takes the largest of the items as %s', (type, values, largest) => {
    const config = { method: 'json-cursor', param: 'after', idKey: 'v', type }
    const sent = requests(config, [{ items: values.map(v => ({ v })) }])
    expect(params(sent)).toEqual([{}, { after: largest }])
  })

  it('ends when the cursor does not move', () => {
    const config = { method: 'json-cursor', param: 'after', idKey: 'v' }
    expect(requests(config, [{ items: [{ v: 'a' }] }, { items: [{ v: 'a' }] }]).at(-1)).toBeUndefined()
  })
})

describe('multiple', () => {
  const config = {
    method: 'multiple',
    scrollers: { pages: { method: 'pagenum' }, offsets: { method: 'offset', limit: 2 } },
    default: 'pages',
  }

  it("picks the job's scroller, else the default", () => {
    expect(params(requests(config, []))).toEqual([{ page: 1 }])
    expect(params(requests(config, [], {}, { scroller: 'offsets' }))).toEqual([{ limit: 2, offset: 0 }])
  })

  it('refuses a name that is not defined', () => {
    expect(() => requests(config, [], {}, { scroller: 'none' })).toThrow(
      "Scroller 'none' not set in API definitions. Scrollers defined: pages, offsets",
    )
    expect(() => requests({ ...config, default: 'none' }, [])).toThrow(
      "Default scroller 'none' does not exist",
    )
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
