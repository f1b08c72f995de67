import type { Answer } from '../extractor/api-server.ts'

const rows = Array.from({ length: 5 }, (_, index) => ({
  id: index + 1,
  name: `row ${index + 1}`,
  updated_at: `2026-01-0${index + 1}T00:00:00Z`,
}))
const slice = (from: number, size = 2) => rows.slice(from, from + size)
const numberOf = (text: string | null, fallback: number): number => (text === null ? fallback : Number(text))

/** A small API of each kind of paging: the path it is asked at with its first page, and how it answers. All have five rows. */
export const pagedApis: Record<string, { path: string; answer: Answer; pagination: object }> = {
  'a Link header': {
    path: '/repos/tags?per_page=2',
    answer: ({ query }, response) => {
      const page = numberOf(query.get('page'), 1)
      if (page < 3) response.setHeader('link', `</repos/tags?per_page=2&page=${page + 1}>; rel="next"`)
      return slice((page - 1) * 2)
    },
    pagination: { method: 'header-link' },
  },
  'the next address': {
    path: '/v1/orders',
    answer: ({ query, headers }) => {
      const from = numberOf(query.get('after'), 0)
      const next = from < 4 ? `http://${headers.host}/v1/orders?after=${from + 2}` : null
      return { data: { orders: slice(from) }, links: { self: `http://${headers.host}/v1/orders`, next } }
    },
    pagination: { method: 'response.url', urlKey: 'links.next' },
  },
  'a dotted key with the next address': {
    path: '/odata/Orders?$top=2',
    answer: ({ query, headers }) => {
      const from = numberOf(query.get('$skiptoken'), 0)
      const next = `http://${headers.host}/odata/Orders?$top=2&$skiptoken=${from + 2}`
      return { value: slice(from), ...(from < 4 ? { '@odata.nextLink': next } : {}) }
    },
    pagination: { method: 'response.url', urlKey: '@odata.nextLink', delimiter: '/' },
  },
  'the next query': {
    path: '/items?size=2',
    answer: ({ query }) => {
      const from = numberOf(query.get('from_row'), 0)
      return { items: slice(from), next: from < 4 ? `?from_row=${from + 2}` : '' }
    },
    pagination: { method: 'response.url', urlKey: 'next', paramIsQuery: true, includeParams: true },
  },
  'a cursor': {
    path: '/contacts?limit=2',
    answer: ({ query }) => {
      const from = Number(Buffer.from(query.get('cursor') ?? 'MA==', 'base64').toString())
      const next = from < 4 ? Buffer.from(String(from + 2)).toString('base64') : null
      return { contacts: slice(from), next_cursor: next }
    },
    pagination: { method: 'json-cursor', param: 'cursor', cursorPath: 'next_cursor' },
  },
  'after, as HubSpot has it': {
    path: '/crm/v3/objects/contacts?limit=2',
    answer: ({ query }) => {
      const from = numberOf(query.get('after'), 0)
      return { results: slice(from), ...(from < 4 ? { paging: { next: { after: String(from + 2) } } } : {}) }
    },
    pagination: { method: 'json-cursor', param: 'after', cursorPath: 'paging.next.after' },
  },
  'offset and limit with a total': {
    path: '/search?offset=0&limit=2',
    answer: ({ query }) => ({
      total: 5,
      results: slice(Number(query.get('offset')), Number(query.get('limit'))),
    }),
    pagination: {
      method: 'offset',
      limit: 2,
      limitParam: 'limit',
      offsetParam: 'offset',
      limitStop: { field: 'total' },
    },
  },
  'a limit that the server cuts': {
    path: '/search?skip=0&take=100',
    answer: ({ query }) => ({
      total: 5,
      results: slice(Number(query.get('skip')), Math.min(2, Number(query.get('take')))),
    }),
    pagination: {
      method: 'offset',
      limit: 2,
      limitParam: 'take',
      offsetParam: 'skip',
      limitStop: { field: 'total' },
    },
  },
  'an offset that only the answer names': {
    path: '/rest/issues',
    answer: ({ query }) => {
      const startAt = numberOf(query.get('startAt'), 0)
      return { startAt, maxResults: 2, total: 5, issues: slice(startAt) }
    },
    pagination: { method: 'offset', limit: 2, offsetParam: 'startAt', firstPageParams: false },
  },
  'page numbers': {
    path: '/customers?page=1&per_page=2',
    answer: ({ query }) => slice((Number(query.get('page')) - 1) * 2),
    pagination: { method: 'pagenum', pageParam: 'page', limit: 2, limitParam: 'per_page' },
  },
  'page numbers from zero, until a flag': {
    path: '/customers?page=0&size=2',
    answer: ({ query }) => {
      const page = Number(query.get('page'))
      return { content: slice(page * 2), last: page === 2 }
    },
    pagination: {
      method: 'pagenum',
      pageParam: 'page',
      firstPage: 0,
      nextPageFlag: { field: 'last', stopOn: true },
    },
  },
  'has_more and nothing else': {
    path: '/charges',
    answer: ({ query }) => {
      const page = numberOf(query.get('page'), 1)
      return { data: slice((page - 1) * 2), has_more: page < 3 }
    },
    pagination: {
      method: 'pagenum',
      pageParam: 'page',
      firstPageParams: false,
      nextPageFlag: { field: 'has_more', stopOn: false },
    },
  },
}
