import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { saysError } from '#lib/extractor/paging/answer-says.ts'
import { cappedPage } from '#lib/extractor/paging/paginator.ts'
import { compareBy } from '#lib/extractor/values/select/ordering.ts'
import type { Json } from '#lib/json/json-value.ts'
import { caCertificate, serverCertificate, serverKey } from '#support/certificates.ts'
import type { Answer } from './api-server.ts'
import { extractFrom, runExtraction, type Settings } from './run-extraction.ts'

/* What people report of readers of APIs, by kind (docs/testing.md#bug-reports-of-others). */

const raw =
  (body: string | Buffer, headers: Record<string, string | string[]> = {}): Answer =>
  (_, response) =>
    void response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body)

/** Bytes as they go over the wire; then the connection ends. */
const wire =
  (head: string, body: string | Buffer): Answer =>
  (_, { socket }) => {
    socket?.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${head}\r\n\r\n`)
    socket?.end(body)
  }

const pages = (pagination: object, job: object = {}): Settings => ({
  api: { pagination, retryConfig: { maxRetries: 0 } },
  config: { jobs: [{ endpoint: 'items', ...job }] },
})
const one = (job: object = {}): Settings => ({
  api: { retryConfig: { maxRetries: 0 } },
  config: { jobs: [{ endpoint: 'items', ...job }] },
})
const data = one({ dataField: 'data' })

/** An API of 250 rows that gives no more than 100 at a time, whatever it is asked for. */
const capped: Answer = ({ query }) => {
  const from = Number(query.get('offset') ?? 100 * (Number(query.get('page') ?? 1) - 1))
  return Array.from({ length: Math.max(0, Math.min(100, 250 - from)) }, (_, row) => ({ id: from + row }))
}
const cursors = { method: 'response.param', responseParam: 'next', queryParam: 'c' }
const packed = gzipSync(JSON.stringify(Array.from({ length: 500 }, (_, id) => ({ id }))))

/** What is loaded (the number of rows, or the text of the table without its end), and what is said. */
// biome-ignore format: one case, one line
const cases: [what: string, answer: Answer, settings: Settings, loaded: number | string, said?: RegExp][] = [
  ['pages of 100 where 500 are asked for, by offset', capped, pages({ method: 'offset', limit: 500 }), 100, /no more than 100 at a time/],
  ['the same by number', capped, pages({ method: 'pagenum', limit: 500 }), 100, /no more than 100 at a time/],
  ['the same with the right limit', capped, pages({ method: 'offset', limit: 100 }), 250],
  ['errors of GraphQL beside no rows', () => ({ data: [], errors: [{ message: 'Throttled' }] }), data, 0, /says "errors": "Throttled"/],
  ['errors of GraphQL beside rows', () => ({ data: [{ id: 1 }], errors: [{ message: 'Partial' }] }), data, 1, /says "errors": "Partial"/],
  ['an error with a status of success', () => ({ success: false, data: [] }), data, 0, /"success": false/],
  ['no errors', () => ({ data: [{ id: 1 }], errors: [], error: null, success: true }), data, 1],
  ['rows that are errors', () => ({ errors: [{ id: 1, message: 'x' }] }), one({ dataField: 'errors' }), 1],
  ['a comma too many', raw('[{"id":1},]'), one(), 0, /malformed JSON \(Unexpected token ']'\)/],
  ['NaN', raw('[{"v":NaN}]'), one(), 0, /malformed JSON \(Unexpected token 'N'\)/],
  ['a document cut short', raw('[{"id":1'), one(), 0, /in JSON at position 8/],
  ['an empty answer', raw(''), one(), 0, /is empty/],
  ['a mark of bytes before it', raw('\ufeff[{"id":1}]'), one(), 1],
  ['a key twice', raw('[{"id":1,"id":2}]'), one(), 'id,2'],
  ['numbers beyond doubles', raw('[{"id":9007199254740993,"v":1.10}]'), one(), 'id,v,9007199254740993,1.10'],
  ['keys that differ by case', raw('[{"id":1,"ID":2}]'), one(), 'id,ID_u0,1,2'],
  ['dots in names', raw('[{"a.b":1,"a":{"b":2}}]'), one(), 'a_b,a_b_u0,1,2'],
  ['one object for a list', raw('{"data":{"id":1}}'), data, 1],
  ['lists in lists', raw('[{"m":[[1,2],[3]]}]'), one(), 1],
  ['gzip cut short', raw(packed.subarray(0, -9), { 'content-encoding': 'gzip' }), one(), 0, /middle of its gzip/],
  ['chunks cut short behind whole JSON', wire('transfer-encoding: chunked', 'a\r\n[{"id":1}]\r\n'), one(), 0, /ended before/],
  ['fewer bytes than were said', wire('content-length: 50', '[{"id":1}]'), one(), 0, /ended before/],
  ['a cursor that comes again', () => ({ data: [{ id: 1 }], next: 'a' }), pages(cursors, { dataField: 'data' }), 1, /sent the page before again/],
  ['cursors in a circle', ({ query }) => ({ data: [{ id: query.get('c') }], next: query.get('c') === 'a' ? 'b' : 'a' }), pages(cursors, { dataField: 'data' }), 0, /would not end/],
  ['a link that is not quoted, among others', ({ query }, response) => {
    response.setHeader('link', ['<?page=1>; rel=prev; title="a, b"', ...(query.get('page') ? [] : ['<?page=2&f=a,b;c>; REL="last next"'])])
    return [{ id: query.get('page') ?? '1' }]
  }, pages({ method: 'header-link' }), 2],
]

it.each(cases)('%s', async (_what, answer, settings, loaded, said) => {
  const { tables, result, error } = await runExtraction(answer, settings)
  const text = (tables['items'] ?? '').replaceAll('"', '').trimEnd()
  expect(typeof loaded === 'number' ? text.split('\n').length - 1 : text.replaceAll('\n', ',')).toBe(loaded)
  const words = `${error?.message ?? ''}${result?.finished === true ? result.warnings.join() : ''}`
  if (said === undefined) expect(words).toBe('')
  else expect(words).toMatch(said)
})

it('fields that come more than once, and large ones, are read over HTTP/2, too', async () => {
  const server = createSecureServer(
    { key: serverKey, cert: serverCertificate, settings: { maxHeaderListSize: 300_000 } },
    ({ url }, response) => {
      response.setHeader('x-large', 'x'.repeat(40_000))
      response.setHeader('set-cookie', ['a=1', 'b=2'])
      const next = url.includes('page') ? [] : ['<?page=2>; rel="next"']
      response.setHeader('link', ['<?page=1>; rel="prev"', ...next])
      response.end(`[{"id":${url.includes('page') ? 2 : 1}}]`)
    },
  )
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo // a TCP server has one
  const read = await extractFrom(`https://localhost:${port}`, {
    api: { caCertificate, pagination: { method: 'header-link' }, retryConfig: { maxRetries: 0 } },
  })
  server.close()
  expect([read.tables['items'], read.error]).toEqual(['"id"\n"1"\n"2"\n', undefined])
})

describe('what these rest on', () => {
  it.each<[Json, Json[], string | undefined]>([
    [{ errors: [{ message: 'Throttled' }] }, [], '"errors": "Throttled"'],
    [{ error: 'expired' }, [], '"error": "expired"'],
    [{ error: { code: 'E1' } }, [], '"error": "E1"'],
    [{ error: { at: 1 } }, [], '"error"'],
    [{ success: false }, [], '"success": false'],
    [{ errors: [], error: '', success: true }, [], undefined],
    [{ errors: 0, error: false }, [], undefined],
    [{ errors: ['row'] }, ['row'], undefined],
    [{ data: { errors: ['of a row'] } }, [], undefined],
    [[], [], undefined],
  ])('%j with rows %j says %j', (answer, rows, said) => {
    expect(saysError(answer, rows)).toBe(said)
  })

  it.each([
    [100, 500, true],
    [50, 500, true],
    [250, 1000, true],
    [500, 500, false],
    [37, 500, false],
    [0, 500, false],
    [100, undefined, false],
  ])('%i items of %s asked for are a cap: %j', (count, limit, is) => {
    expect(cappedPage({ items: new Array(count) }, limit) !== undefined).toBe(is)
  })

  it.each<[Json, Json, number]>([
    ['9', '10', -1],
    ['9', 10, -1],
    ['9007199254740993', '9007199254740992', 1],
    ['09', '10', -1],
    ['b9', 'b10', 1],
    ['', '1', -1],
  ])('%j and %j without a kind: %i', (a, b, ordered) => {
    expect(compareBy(undefined, a, b)).toBe(ordered)
  })
})
