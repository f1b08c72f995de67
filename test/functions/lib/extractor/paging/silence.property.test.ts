import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '#support/thorough.ts'
import { rowCount, runExtraction } from '../run-extraction.ts'

interface Told {
  beside?: Record<string, unknown>
  headers?: Record<string, string>
}

const PAGE = 'http://next.test/items?after=page'

/** How APIs say that there is more. A total is said on every page, the others tell of the page after this one. */
const tellers: Record<string, (all: number, hasNext: boolean) => Told> = {
  total: all => ({ beside: { total: all } }),
  totalCount: all => ({ beside: { totalCount: all } }),
  'meta.total': all => ({ beside: { meta: { total: all } } }),
  'X-Total-Count': all => ({ headers: { 'x-total-count': String(all) } }),
  'Link header': (_, hasNext) => (hasNext ? { headers: { link: `<${PAGE}>; rel="next"` } } : {}),
  next: (_, hasNext) => ({ beside: { next: hasNext ? PAGE : null } }),
  'links.next': (_, hasNext) => ({ beside: { links: { self: PAGE, ...(hasNext ? { next: PAGE } : {}) } } }),
  'paging.next.href': (_, hasNext) => ({ beside: { paging: { next: hasNext ? { href: PAGE } : null } } }),
  '@odata.nextLink': (_, hasNext) => ({ beside: hasNext ? { '@odata.nextLink': PAGE } : {} }),
  next_page_url: (_, hasNext) => ({ beside: { next_page_url: hasNext ? PAGE : null } }),
  has_more: (_, hasNext) => ({ beside: { has_more: hasNext } }),
  hasMore: (_, hasNext) => ({ beside: { hasMore: hasNext } }),
  'pageInfo.hasNextPage': (_, hasNext) => ({ beside: { pageInfo: { hasNextPage: hasNext } } }),
  'count beside next': (all, hasNext) => ({ beside: { count: all, next: hasNext ? PAGE : null } }),
  'next page as number': (_, hasNext) => ({ beside: { nextPage: hasNext ? 2 : null } }),
  'has-more': (_, hasNext) => ({ beside: { 'has-more': hasNext } }),
  next_cursor: (_, hasNext) => ({ beside: { meta: { next_cursor: hasNext ? 'b2' : '' } } }),
}

interface Cut {
  response: ServerResponse
  told: Told
  /** Rows that belong on this page, and on the one before. */
  rows: readonly unknown[]
  before: readonly unknown[]
}

const send = ({ response, told }: Cut, body: unknown): void => {
  response.writeHead(200, { 'content-type': 'application/json', ...told.headers })
  response.end(JSON.stringify(body))
}

const bodyOf = ({ rows, told }: Cut): Buffer => Buffer.from(JSON.stringify({ ...told.beside, rows }))

const torn = (
  cut: Cut,
  { headers, bytes, end }: { headers?: object; bytes: Buffer; end: 'reset' | 'close' | 'end' },
): void => {
  const { response, told } = cut
  response.writeHead(200, { 'content-type': 'application/json', ...told.headers, ...headers })
  response.write(bytes, () => {
    if (end === 'reset') response.socket?.resetAndDestroy()
    else if (end === 'close') response.socket?.end()
    else response.end()
  })
}

const part = (cut: Cut): Buffer => bodyOf(cut).subarray(0, -4)

/** Ways to end before the last row. */
const ways: Record<string, (cut: Cut) => void> = {
  'no rows': cut => send(cut, { ...cut.told.beside, rows: [] }),
  'half of the page': cut => send(cut, { ...cut.told.beside, rows: cut.rows.slice(1) }),
  'the page before again': cut => send(cut, { ...cut.told.beside, rows: cut.before }),
  'the page before again, with a time': cut =>
    send(cut, { ...cut.told.beside, at: Math.random(), rows: cut.before }),
  'rows that are missing': cut => send(cut, { ...cut.told.beside, took: 3 }),
  'rows that are null': cut => send(cut, { ...cut.told.beside, rows: null }),
  'rows that are a text': cut => send(cut, { ...cut.told.beside, rows: '' }),
  'rows that are false': cut => send(cut, { ...cut.told.beside, rows: false }),
  'rows under another name': cut => send(cut, { ...cut.told.beside, data: cut.rows }),
  'rows one level down': cut => send(cut, { ...cut.told.beside, result: { rows: cut.rows } }),
  'an error object': cut => send(cut, { error: { code: 17, message: 'slow down' } }),
  'an error text': cut => send(cut, { error: 'slow down' }),
  'an error beside no rows': cut => send(cut, { ...cut.told.beside, error: 'timeout', rows: [] }),
  'success that is false': cut => send(cut, { success: false, message: 'try later' }),
  null: cut => send(cut, null),
  'an empty body': ({ response, told }) => void response.writeHead(200, told.headers).end(),
  'status 204': ({ response, told }) => void response.writeHead(204, told.headers).end(),
  HTML: ({ response }) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Wait</p>'),
  'a text': cut => send(cut, 'please wait'),
  'a body cut by its end': cut => torn(cut, { bytes: part(cut), end: 'end' }),
  'a chunked body that is closed': cut => torn(cut, { bytes: part(cut), end: 'close' }),
  'a chunked body that is reset': cut => torn(cut, { bytes: part(cut), end: 'reset' }),
  'a body shorter than its length': cut =>
    torn(cut, { headers: { 'content-length': bodyOf(cut).length }, bytes: part(cut), end: 'close' }),
  'a body of known length that is reset': cut =>
    torn(cut, { headers: { 'content-length': bodyOf(cut).length }, bytes: part(cut), end: 'reset' }),
  'a body of unknown length that is reset': cut => {
    cut.response.useChunkedEncodingByDefault = false
    torn(cut, {
      headers: { connection: 'close' },
      bytes: bodyOf({ ...cut, rows: cut.rows.slice(1) }),
      end: 'reset',
    })
  },
  'half of its gzip': cut =>
    torn(cut, {
      headers: { 'content-encoding': 'gzip' },
      bytes: gzipSync(bodyOf(cut)).subarray(0, -9),
      end: 'end',
    }),
  'bytes that are no letters': ({ response, told }) =>
    void response.writeHead(200, told.headers).end(Buffer.from('{"rows": [{"id": "\xff"}]}', 'latin1')),
  'status 404': ({ response }) => void response.writeHead(404).end('{}'),
  'status 403': ({ response }) => void response.writeHead(403).end('{}'),
  'status 500': ({ response }) => void response.writeHead(500).end('{}'),
  'another page for ever': cut => send(cut, { ...cut.told.beside, rows: cut.before.slice(0, 1) }),
}

const paginations: Record<string, object> = {
  none: {},
  offset: { method: 'offset', limit: 3 },
  pagenum: { method: 'pagenum' },
  'pagenum with a limit': { method: 'pagenum', limit: 3 },
  'a cursor elsewhere': { method: 'json-cursor', param: 'page', cursorPath: 'cursor.of.pages' },
  'the last id': { method: 'json-cursor', param: 'after', idKey: 'id' },
}

const SIZE = 3

/** Nobody can know of more when these come first. */
const tellsNothing = new Set(['null', 'an empty body', 'status 204', 'a text'])

const pageOf = (all: number, number: number): { id: number }[] =>
  [1, 2, 3].map(id => ({ id: number * SIZE + id })).filter(({ id }) => id <= all)

const numberOf = (query: URLSearchParams): number =>
  query.has('page')
    ? Number(query.get('page')) - 1
    : Math.ceil(Number(query.get('offset') ?? query.get('after') ?? 0) / SIZE)

const settingsOf = (pagination: string) => ({
  api: {
    retryConfig: { maxRetries: 0 },
    ...(pagination === 'none' ? {} : { pagination: paginations[pagination] }),
  },
  config: { jobs: [{ endpoint: 'items', dataField: 'rows' }] },
})

const told = {
  teller: fc.constantFrom(...Object.keys(tellers)),
  pagination: fc.constantFrom(...Object.keys(paginations)),
}

it('never ends quietly when an API has told of more than came', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        ...told,
        way: fc.constantFrom(...Object.keys(ways)),
        pages: fc.integer({ min: 2, max: 5 }),
        cutAt: fc.nat({ max: 4 }),
      }),
      async ({ teller, way, pagination, pages, cutAt }) => {
        const all = pages * SIZE
        const first = Math.min(tellsNothing.has(way) ? Math.max(1, cutAt) : cutAt, pages - 1)
        const { error, result, tables } = await runExtraction(({ query }, response) => {
          const asked = numberOf(query)
          const tell = (hasNext: boolean): Told => tellers[teller]?.(all, hasNext) ?? {}
          const rows = pageOf(all, asked)
          const cut = { response, told: tell(true), rows, before: pageOf(all, Math.max(0, asked - 1)) }
          // What was cut once stays so
          if (asked >= first) ways[way]?.(cut)
          else send({ ...cut, told: tell(asked < pages - 1) }, { ...tell(asked < pages - 1).beside, rows })
        }, settingsOf(pagination))
        const rows = rowCount(tables['items'])
        const said = error?.message ?? (result?.finished === true ? result.warnings.join() : '')
        expect(rows >= all || said !== '' ? '' : `${rows} of ${all} rows`).toBe('')
      },
    ),
    { numRuns: runs(600) },
  )
})

it('says nothing when all came', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({ ...told, all: fc.integer({ min: 0, max: 13 }) }),
      async ({ teller, pagination, all }) => {
        fc.pre(!(pagination === 'none' || pagination === 'a cursor elsewhere') || all <= SIZE)
        const { error, result, tables } = await runExtraction(({ query }, response) => {
          const asked = numberOf(query)
          const told = tellers[teller]?.(all, (asked + 1) * SIZE < all) ?? {}
          const rows = pageOf(all, asked)
          send({ response, told, rows, before: [] }, { ...told.beside, rows })
        }, settingsOf(pagination))
        expect([error?.message, result?.finished === true && result.warnings]).toEqual([undefined, []])
        expect(rowCount(tables['items'])).toBe(all)
      },
    ),
    { numRuns: runs(150) },
  )
})
