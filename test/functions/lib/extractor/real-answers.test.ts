import { createServer, type Socket } from 'node:net'
import { deflateRawSync, gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { extractFrom, type Settings } from './run-extraction.ts'

interface Sent {
  head?: string
  body: string | Buffer
  /** How the connection ends; without it as HTTP says. */
  end?: 'close' | 'reset'
}

const message = ({ head = '', body }: Sent): Buffer => {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const status = /^HTTP/.test(head) ? '' : 'HTTP/1.1 200 OK\r\n'
  const isSized = /content-length|transfer-encoding|connection: close|HTTP\/1\.0|204/i.test(head)
  const length = isSized ? '' : `Content-Length: ${bytes.length}\r\n`
  return Buffer.concat([Buffer.from(`${status}${head === '' ? '' : `${head}\r\n`}${length}\r\n`), bytes])
}

/** Sends these bytes, the last ones again and again. */
const run = async (sent: readonly Sent[], settings: Settings) => {
  let requests = 0
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', () => {
      const next = sent[Math.min(requests++, sent.length - 1)] as Sent // there is one
      socket.write(message(next), () => {
        if (next.end === 'close' || /connection: close/i.test(next.head ?? '')) {
          if (next.end !== 'reset') socket.end()
        }
        // What was written has to arrive before the reset does
        if (next.end === 'reset') setTimeout(() => socket.resetAndDestroy(), 30)
      })
    })
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number } // a TCP server has one
  try {
    const api = { retryConfig: { maxRetries: 1 }, ...settings.api }
    const options = { dispatcher: undefined, ...settings.options }
    return { ...(await extractFrom(`http://127.0.0.1:${port}`, { ...settings, api, options })), requests }
  } finally {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
}

const format = (name: string, more: object = {}): Settings => ({
  config: { jobs: [{ endpoint: 'items', response: { format: name, ...more } }] },
})

const chunked = 'Transfer-Encoding: chunked'
const pagenum: Settings = { api: { pagination: { method: 'pagenum' } } }
const latin = Buffer.from('n\nJosé\n', 'latin1')

it.each<[string, Sent[], Settings, string]>([
  [
    'C8 a chunked body that is cut, then whole',
    [{ head: `Connection: close\r\n${chunked}`, body: '8\r\n[{"a":1', end: 'close' }, { body: '[{"a":1}]' }],
    {},
    '"a"\n"1"\n',
  ],
  [
    'C1 lines that are reset, then whole',
    [{ head: 'Connection: close', body: 'a\n1\n', end: 'reset' }, { body: 'a\n1\n2\n' }],
    format('csv'),
    '"a"\n"1"\n"2"\n',
  ],
  [
    'C6 CSV in the charset of its type',
    [{ head: 'Content-Type: text/csv; charset=iso-8859-1', body: latin }],
    format('csv'),
    '"n"\n"José"\n',
  ],
  [
    'C6 JSON in the charset of its type',
    [
      {
        head: 'Content-Type: application/json; charset=iso-8859-1',
        body: Buffer.from('[{"n":"José"}]', 'latin1'),
      },
    ],
    {},
    '"n"\n"José"\n',
  ],
  [
    'C7 keys in other letters',
    [{ body: '[{"ключ":3,"číslo":1}]' }],
    {},
    '"column_4c267a71","cislo"\n"3","1"\n',
  ],
  ['C12 a byte order mark', [{ body: '\ufeff[{"a":1}]' }], {}, '"a"\n"1"\n'],
  ['C12 gzip without a word', [{ body: gzipSync('[{"a":1}]') }], {}, '"a"\n"1"\n'],
  [
    'C12 no content as the last page',
    [{ body: '[{"a":1}]' }, { head: 'HTTP/1.1 204 No Content', body: '' }],
    pagenum,
    '"a"\n"1"\n',
  ],
  [
    'C16 deflate without its header',
    [{ head: 'Content-Encoding: deflate', body: deflateRawSync('[{"a":1}]') }],
    {},
    '"a"\n"1"\n',
  ],
  [
    'C16 a list where lines are expected',
    [{ body: '[{"a":1},{"a":2}]' }],
    format('jsonl'),
    '"a"\n"1"\n"2"\n',
  ],
])('%s', async (_, sent, settings, table) => {
  const { error, tables } = await run(sent, settings)
  expect(error).toBeUndefined()
  expect(tables['items']).toBe(table)
})

it.each<[string, Sent, Settings, number, RegExp]>([
  [
    'C1 lines that are reset',
    { head: 'Connection: close', body: 'a\n1\n', end: 'reset' },
    format('csv'),
    2,
    /^CURL error 56: /,
  ],
  [
    'C1 lines of HTTP/1.0 that are reset',
    { head: 'HTTP/1.0 200 OK', body: '{"a":1}\n', end: 'reset' },
    format('jsonl'),
    2,
    /^CURL error 56: /,
  ],
  [
    'C8 a chunked body that is closed',
    { head: `Connection: close\r\n${chunked}`, body: '8\r\n[{"a":1', end: 'close' },
    {},
    2,
    /^CURL error 56: /,
  ],
  [
    'C8 a chunked body that is reset',
    { head: `Connection: close\r\n${chunked}`, body: '8\r\n[{"a":1', end: 'reset' },
    {},
    2,
    /^CURL error 56: /,
  ],
  [
    'C8 a chunk without a size',
    { head: chunked, body: 'zz\r\n[' },
    {},
    1,
    /^CURL error 1: Malformed response/,
  ],
  [
    'C11 a body shorter than it says',
    { head: 'Content-Length: 99', body: '[{"a":1', end: 'close' },
    {},
    2,
    /^CURL error 56: The connection ended before the answer did/,
  ],
  [
    'C11 HTML',
    { head: 'Content-Type: text/html', body: '<p>Log in</p>' },
    {},
    1,
    /The answer \(200, text\/html\) begins with: <p>Log in<\/p>/,
  ],
  [
    'C11 a value that JSON has not',
    { body: '[{"a":NaN}]' },
    {},
    1,
    /no content type\) begins with: \[\{"a":NaN\}\]/,
  ],
  ['C11 JSONP', { body: 'cb([])' }, {}, 1, /begins with: cb\(\[\]\)/],
  [
    'C11 a scalar and an object',
    { body: '[{"a":1},{"a":{"x":1}}]' },
    {},
    1,
    /"orders\.\[\]\.a"|\.a" \(a mapping with "forceType"/,
  ],
  [
    'C6 bytes that are no letters',
    { body: Buffer.from('[{"n":"José"}]', 'latin1') },
    {},
    1,
    /is no text in UTF-8\. Name what/,
  ],
])('%s is an error', async (_, sent, settings, requests, message) => {
  const result = await run([sent], settings)
  expect(result.error?.message).toMatch(message)
  expect(result.requests).toBe(requests)
  expect(result.tables).toEqual({})
})
