import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type Answer, startApi } from '../../api-server.ts'
import { extractFrom, rowCount, runExtraction } from '../../run-extraction.ts'

const noRetry = { retryConfig: { maxRetries: 0 } }
/** One retry after half a second at most. */
const oneRetry = { retryConfig: { maxRetries: 1 } }

describe('a server that misbehaves', () => {
  it('resets in the middle of a body: asked again', async () => {
    let first = true
    const { tables, error, requests } = await runExtraction(
      (_, response) => {
        if (!first) return [{ id: 1 }]
        first = false
        response.writeHead(200, { 'content-length': '1000' })
        response.write('[{"id":')
        setTimeout(() => response.destroy(), 10)
        return undefined
      },
      { api: oneRetry },
    )
    expect(error).toBeUndefined()
    expect(requests).toHaveLength(2)
    expect(tables['items']).toBe('"id"\n"1"\n')
  })

  it('always resets: a clear error with the name that configurations use', async () => {
    const { error } = await runExtraction((_, response) => response.destroy(), { api: noRetry })
    expect(error?.message).toMatch(/^CURL error (52|56): /)
  })

  it('is not there: connection refused', async () => {
    const server = await startApi(() => [])
    await server.close()
    const { error } = await extractFrom(server.origin, { api: noRetry })
    expect(error?.message).toMatch(/^CURL error 7: Failed to connect/)
  })

  it('has no address', async () => {
    const { error } = await extractFrom('http://no-such-host.invalid', { api: noRetry })
    expect(error?.message).toMatch(/^CURL error 6: Could not resolve host/)
  })

  it('sends a header of a megabyte: a clear error', async () => {
    const { error } = await runExtraction(
      (_, response) => {
        response.writeHead(200, { 'x-large': 'x'.repeat(1024 * 1024) })
        response.end('[]')
      },
      { api: noRetry },
    )
    expect([error?.name, error?.message]).toEqual([
      'UserError',
      expect.stringMatching(/^CURL error 100: The headers of the response are too large/),
    ])
  })

  it('sends truncated JSON: an error that says so', async () => {
    const { error } = await runExtraction((_, response) => response.end('[{"id":1},{"id"'), {})
    expect(error?.message).toBe(
      `Invalid JSON response from API: JSON decode error: Syntax error, malformed JSON (Expected ':' after property name in JSON at position 15 (line 1 column 16)). ` +
        'The answer (200, no content type) begins with: [{"id":1},{"id"',
    )
  })

  it('sends nothing while an offset scrolls: that was the last page', async () => {
    const { error, tables, logs } = await runExtraction(
      ({ query }, response) =>
        query.get('offset') === '2' ? response.writeHead(204).end() : [{ id: 1 }, { id: 2 }],
      { api: { pagination: { method: 'offset', limit: 2 } } },
    )
    expect(error).toBeUndefined()
    expect(tables['items']).toBe('"id"\n"1"\n"2"\n')
    expect(logs).toContainEqual({ level: 'warning', message: 'The response is empty: it contains no data!' })
  })

  it('nests without end: a clear error', async () => {
    const { error } = await runExtraction(
      (_, response) => response.end(`${'['.repeat(200_000)}${']'.repeat(200_000)}`),
      {},
    )
    expect(error?.message).toMatch(/nested|Invalid JSON|deep/)
  })

  it.each([
    [200, {}, 'Invalid JSON response from API'],
    [204, {}, undefined],
    [204, { compat: true }, 'Invalid JSON response from API'],
  ])('sends nothing with status %d and %j: an error, or no items', async (status, options, message) => {
    const answer: Answer = (_, response) => response.writeHead(status).end()
    const { error } = await runExtraction(answer, { options })
    if (message === undefined) expect(error).toBeUndefined()
    else expect(error?.message).toContain(message)
  })

  it('storms with 429: bounded by the retries', async () => {
    const { requests, error } = await runExtraction(
      (_, response) => {
        response.statusCode = 429
        response.setHeader('Retry-After', '0.005')
        return {}
      },
      { api: { retryConfig: { maxRetries: 20 } } },
    )
    expect(requests).toHaveLength(21)
    expect(error?.message).toContain('[429]')
  })

  it('repeats the same page: the repeated page is dropped and the job ends', async () => {
    const { tables, requests, result } = await runExtraction(() => [{ id: 1 }, { id: 2 }], {
      api: { pagination: { method: 'offset', limit: 2 } },
    })
    expect(requests.length).toBeLessThanOrEqual(3) // one more may be on the way
    expect(rowCount(tables['items'])).toBe(2)
    expect(result?.summary.jobs[0]?.ended).toEqual({ 'the response matched the previous one': 1 })
  })

  it('sends a body without end: cut off at the limit', async () => {
    let sent = 0
    const { error } = await runExtraction(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const chunk = Buffer.alloc(1 << 20, 0x20)
        const pump = (): void => {
          while (!response.destroyed && sent < 1 << 30) {
            sent += chunk.length
            if (!response.write(chunk)) {
              response.once('drain', pump)
              return
            }
          }
        }
        pump()
        return undefined
      },
      { api: { http: { bodyLimitBytes: 8 << 20 } } },
    )
    expect(error?.message).toContain('larger than 8388608 bytes')
    expect(sent).toBeLessThan(64 << 20)
  })

  it('sends a bomb: what it unpacks to counts', async () => {
    const bomb = gzipSync(Buffer.alloc(64 << 20, 0x20))
    const { error } = await runExtraction(
      (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
      {
        api: { http: { bodyLimitBytes: 1 << 20 } },
      },
    )
    expect(error?.message).toContain('larger than 1048576 bytes')
  })

  it('drips byte by byte: over at the request time-out', async () => {
    const { error } = await runExtraction(
      (_, response) => {
        response.writeHead(200)
        const timer = setInterval(() => response.write(' '), 20)
        response.on('close', () => clearInterval(timer))
        return undefined
      },
      { api: { ...noRetry, http: { requestTimeout: 0.3 } } },
    )
    expect(error?.message).toMatch(/^CURL error 28: /)
  })

  it('never answers: over at the request time-out', async () => {
    const { error } = await runExtraction(() => new Promise(done => setTimeout(done, 1000)), {
      api: { ...noRetry, http: { requestTimeout: 0.2 } },
    })
    expect(error?.message).toMatch(/^CURL error 28: /)
  })

  it('speaks no HTTP', async () => {
    const { error } = await runExtraction((_, response) => response.socket?.end('SSH-2.0-server\r\n'), {
      api: noRetry,
    })
    expect(error?.message).toMatch(/^CURL error \d+: /)
  })

  it('sends damaged gzip', async () => {
    const { error } = await runExtraction(
      (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('nothing'),
      {
        api: noRetry,
      },
    )
    expect(error?.message).toContain('not valid gzip')
  })

  it.each([
    ['in memory', undefined, { 'content-encoding': 'gzip' }],
    ['in a file', { format: 'jsonl' }, { 'content-encoding': 'gzip' }],
    ['of which nobody tells', undefined, {}],
    ['of which nobody tells, in a file', { format: 'jsonl' }, {}],
  ])('ends in the middle of its gzip, %s: asked again', async (_, format, headers) => {
    const whole = gzipSync(
      format === undefined ? '[{"id":1}]' : `{"id":"${randomBytes(5 << 20).toString('hex')}"}`,
    )
    let answers = 0
    const { tables, requests, error } = await runExtraction(
      (_request, response) =>
        response.writeHead(200, headers).end(answers++ === 0 ? whole.subarray(0, -9) : whole),
      { config: { jobs: [{ endpoint: 'items', ...(format && { response: format }) }] } },
    )
    expect(error).toBeUndefined()
    expect(requests).toHaveLength(2)
    expect(rowCount(tables['items'])).toBe(1)
  })

  it('redirects in circles', async () => {
    const { error, requests } = await runExtraction(
      (_, response) => response.writeHead(302, { location: '/items' }).end(),
      {},
    )
    expect(error?.message).toContain('more than 5 redirects')
    expect(requests).toHaveLength(6)
  })

  it('holds items of clashing kinds', async () => {
    const { error } = await runExtraction(() => [{ a: 1 }, { a: { b: 2 } }], {})
    expect(error?.message).toContain('Unhandled nodeType change')
  })
})

describe('a server that behaves', () => {
  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('may compress with %s', async (encoding, compress) => {
    const { tables, requests } = await runExtraction(
      (_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(compress('[{"id":1}]')),
      {},
    )
    expect(tables['items']).toBe('"id"\n"1"\n')
    expect(requests[0]?.headers['accept-encoding']).toBe('gzip, br')
  })

  it('may compress twice, and say so in two lines', async () => {
    const { tables } = await runExtraction(
      (_, response) =>
        response
          .setHeader('content-encoding', ['br', 'gzip'])
          .end(gzipSync(brotliCompressSync('[{"id":1}]'))),
      {},
    )
    expect(tables['items']).toBe('"id"\n"1"\n')
  })

  it('sees few connections: they are kept alive', async () => {
    let connections = 0
    let page = 0
    const server: Server = createServer((_, response) =>
      response.end(JSON.stringify(page++ < 20 ? [{ id: page }] : [])),
    )
    server.on('connection', () => connections++)
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo // a TCP server has one
    const { error } = await extractFrom(`http://127.0.0.1:${port}`, {
      api: { pagination: { method: 'pagenum' } },
    })
    server.closeAllConnections()
    server.close()
    expect(error).toBeUndefined()
    // A request may go out just before the connection of the last one is free again
    expect(connections).toBeLessThanOrEqual(2)
  })
})
