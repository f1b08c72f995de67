import type { Json, JsonObject } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
import type { Answer, ApiRequest } from '../functions/lib/extractor/api-server.ts'
import type { Feature } from './feature.ts'

const ROWS = 5
const PAGE = 2
const MOST_REQUESTS = 200

/** Names of what asks for a page, wherever a request has them: they do not change which rows there are. */
const ofPages = ['page', 'number', 'offset', 'after', 'size', 'limit']

/** Rows that tell what was asked for: their ids are of the path, the query and the body of the request without its page. */
export const apiOf = (features: readonly Feature[]): Answer => {
  const pages = features.find(feature => feature.pages !== undefined)?.pages ?? 'all'
  const shape = features.find(feature => feature.shape !== undefined)?.shape ?? 'data'
  const firstPage = features.find(feature => feature.firstPage !== undefined)?.firstPage ?? 1
  let requests = 0
  return (request, response) => {
    if (++requests > MOST_REQUESTS) {
      response.statusCode = 400
      return { error: 'far too many requests' }
    }
    if (request.path === '/token' || request.path === '/login')
      return { access_token: `t-${seen(request)}`, token: 't1', expires_in: 3600 }
    if (request.path === '/parents') return { data: parents }
    if (request.path === '/teams') return { data: [{ id: 7 }, { id: 8 }] }
    if (request.path.endsWith('/busy') && requests === 1) {
      response.statusCode = 503
      return {}
    }
    if (request.path.endsWith('/missing')) {
      response.statusCode = 404
      return { error: 'not there' }
    }
    const asked = (name: string): number | undefined => {
      const found = values(request)[name] ?? request.headers[`x-${name}`]
      return found === undefined || found === '' ? undefined : Number(found)
    }
    const from =
      pages === 'all'
        ? 0
        : pages === 'page'
          ? ((asked('page') ?? asked('number') ?? firstPage) - firstPage) * PAGE
          : (asked('offset') ?? asked('after') ?? 0)
    const all = rowsOf(seen(request))
    const rows = pages === 'all' ? all : all.slice(from, from + PAGE)
    const next = from + PAGE < ROWS && pages !== 'all' ? from + PAGE : null
    const address = next === null ? null : `http://${request.headers.host}${withAfter(request.url, next)}`
    if (pages === 'link' && address !== null) response.setHeader('link', `<${address}>; rel="next"`)
    if (next !== null) response.setHeader('x-next', String(next))
    if (shape === 'list') return rows
    if (shape === 'lines' || shape === 'csv') {
      response.setHeader('content-type', shape === 'csv' ? 'text/csv' : 'application/x-ndjson')
      response.end(shape === 'csv' ? csvOf(rows) : rows.map(row => `${JSON.stringify(row)}\n`).join(''))
      return undefined
    }
    return {
      ...shaped(rows, shape),
      total: ROWS,
      has_more: next !== null,
      next,
      page: from / PAGE + 1,
      pages: Math.ceil(ROWS / PAGE),
      meta: { cursor: { next } },
      ...(pages === 'address' ? { next_url: address } : {}),
    }
  }
}

const shaped = (rows: readonly JsonObject[], shape: Feature['shape']): JsonObject => {
  if (shape === 'nested') return { result: { items: [...rows] } }
  if (shape === 'star') return { entries: rows.map(row => ({ row })) }
  return { data: shape === 'one' ? (rows[0] ?? null) : [...rows] }
}

const parents = [
  { id: 1, code: 'a', deep: { key: 'x' }, team: 7 },
  { id: 2, code: 'b', deep: { key: 'y' }, team: 8 },
]

const rowsOf = (seenAs: string): JsonObject[] =>
  Array.from({ length: ROWS }, (_, index) => ({
    id: `${seenAs}#${index + 1}`,
    n: index + 1,
    kind: index % 2 === 0 ? 'odd' : 'even',
    at: `2026-01-0${index + 1}T00:00:00Z`,
    nested: { k: index + 1, deep: { v: `x${index}` } },
  }))

/** What a request asks for, its page left out. */
const seen = (request: ApiRequest): string => {
  const query = new URLSearchParams([...request.query].filter(([name]) => !ofPages.includes(name)))
  query.sort()
  const { body } = request
  const sent =
    body === ''
      ? ''
      : JSON.stringify(
          Object.entries(values(request, false))
            .filter(([name]) => !ofPages.includes(name))
            .toSorted(),
        )
  return `${request.path}?${query}${sent}`.replaceAll('"', "'").replaceAll(',', ';')
}

/** All values of a request by name: of the query and of a body, one level deep. */
const values = ({ query, body }: ApiRequest, isWithQuery = true): JsonObject => ({
  ...(isWithQuery ? Object.fromEntries(query) : {}),
  ...fieldsOf(body),
})

export const fieldsOf = (body: string): JsonObject => {
  if (body === '') return {}
  try {
    const read: Json = JSON.parse(body) as Json // JSON
    if (!isObject(read)) return { body: read }
    const { paging, ...own } = read
    return { ...own, ...(isObject(paging) ? paging : {}) }
  } catch {
    return Object.fromEntries(new URLSearchParams(body))
  }
}

const withAfter = (url: string, next: number): string => {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  searchParams.set('after', String(next))
  return `${pathname}?${searchParams}`
}

const csvOf = (rows: readonly JsonObject[]): string =>
  ['id,n,kind,at', ...rows.map(({ id, n, kind, at }) => [id, n, kind, at].join(','))]
    .map(line => `${line}\n`)
    .join('')
