import { writeFileSync } from 'node:fs'
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import consoleJobs from '#events/storage-api/console-jobs.json' with { type: 'json' }
import uploadFile from '#events/storage-api/upload-file.json' with { type: 'json' }
import { gatewayEvent } from '#functions/storage-api/gateway.ts'
import { ApiServer } from '#local/runtime/api/api-server.ts'
import { folderUntilEnd, untilEnd } from '#support/until-end.ts'
import { apiOptions } from './api-options.ts'

/** What the gateway makes of paths, as live gateways were seen to: `undefined` is refused. */
const paths: [sent: string, rawPath: string | undefined][] = [
  ['/a/plain', '/a/plain'],
  ['/a/space%20value', '/a/space value'],
  ['/a/question%3Fvalue', '/a/question'],
  ['/a/percent%25done', undefined],
  ['/a/hash%23value', '/a/hash#value'],
  ['/a/slash%2Fvalue', '/a/slash/value'],
  ['/a/unicode-%CE%BB-%E4%B8%96%E7%95%8C', '/a/unicode-λ-世界'],
  ['/a/literal%252Fvalue', '/a/literal/value'],
  ['/a/literal%253Fvalue', '/a/literal?value'],
  ['/a/literal%2525value', '/a/literal%value'],
  ['/a/plus+value', '/a/plus+value'],
]

/** Answers with its event, or with what the path asks for. */
const functionModule = `
const results = {
  '/cookies': { statusCode: 303, headers: { location: '/x' }, cookies: ['a=1; Path=/', 'b=2'], body: '' },
  '/bytes': { statusCode: 200, headers: { 'content-type': 'image/png' }, body: 'AAEC/w==', isBase64Encoded: true },
  '/nothing': { statusCode: 204, body: '' },
}
export const answer = async event => {
  if (event.rawPath === '/throws') throw new Error('a reason that nobody learns')
  return results[event.rawPath] ?? { statusCode: 200, body: JSON.stringify(event) }
}`

const folder = folderUntilEnd()
writeFileSync(join(folder, 'index.mjs'), functionModule)
const server = await untilEnd(ApiServer.listen(apiOptions(folder)))
await server.load({})

interface Sent {
  method?: string
  headers?: OutgoingHttpHeaders
  body?: string | Buffer
}

/** Sends the path as it is: `fetch` would tidy it. */
const send = async (path: string, { method = 'GET', headers = {}, body }: Sent = {}) => {
  const { port } = server.ports
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ port, host: '127.0.0.1', path, method, headers }, resolve).once('error', reject).end(body)
  })
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
}

const eventOf = async (path: string, sent: Sent = {}) => JSON.parse((await send(path, sent)).body.toString())

describe('an event of the local gateway', () => {
  it('has what the function reads of a captured one', async () => {
    const captured = gatewayEvent.parse(consoleJobs)
    const cookie = captured.cookies.join('; ')
    const event = gatewayEvent.parse(
      await eventOf('/console/jobs', { headers: { cookie, 'user-agent': 'curl/8.7.1' } }),
    )
    const { headers, requestContext, ...same } = captured
    expect(event).toMatchObject(same)
    expect(event.requestContext.http).toEqual(requestContext.http)
    for (const name of ['content-length', 'host', 'user-agent', 'x-forwarded-for', 'x-forwarded-proto'])
      expect([name, event.headers[name], headers[name]]).toEqual([
        name,
        expect.any(String),
        expect.any(String),
      ])
  })

  it('has cookies in a list, and in no header', async () => {
    const headers = { cookie: ['theme=dark; millrace_token=7-42-x', 'third=3'] }
    const event = await eventOf('/', { headers })
    expect(event.cookies).toEqual(['theme=dark', 'millrace_token=7-42-x', 'third=3'])
    expect(event.headers).not.toHaveProperty('cookie')
  })

  it.each(paths)('has a path sent as %s as %s', async (sent, rawPath) => {
    const { status, body } = await send(`${sent}?x=%2F`)
    if (rawPath === undefined)
      return expect([status, body.toString()]).toEqual([400, '{"message":"Bad Request"}'])
    expect(JSON.parse(body.toString())).toMatchObject({ rawPath, rawQueryString: 'x=%2F' })
  })

  it('has its query as it was sent', async () => {
    const query = 'repeat=one&repeat=two&url=https%3A%2F%2Fexample.com&plus=a+b&encoded=a%2Bb&mark=?&empty='
    expect(await eventOf(`/?${query}`)).toMatchObject({ rawQueryString: query })
  })

  it('has repeated headers joined by commas', async () => {
    const headers = { 'X-Probe': ['first', 'second'], 'X-Forwarded-For': '198.51.100.7' }
    expect((await eventOf('/', { headers })).headers).toMatchObject({
      'x-probe': 'first,second',
      'x-forwarded-for': '198.51.100.7, 127.0.0.1',
    })
  })

  it.each([
    ['text/csv', false],
    ['application/json; charset=utf-8', false],
    ['application/x-www-form-urlencoded', true],
    [uploadFile.headers['content-type'], true],
    ['image/png', true],
  ])('has a body of %s in base64: %s', async (type, isBase64Encoded) => {
    const event = await eventOf('/', { method: 'POST', headers: { 'content-type': type }, body: 'name=Köln' })
    const expected = Buffer.from('name=Köln').toString(isBase64Encoded ? 'base64' : 'utf8')
    expect(event).toMatchObject({ body: expected, isBase64Encoded, headers: { 'content-length': '10' } })
  })

  it.each([
    ['10 MB of body', 'text/csv', 10 * 1024 ** 2 + 1],
    ['6 MB of event', 'image/png', 5 * 1024 ** 2],
  ])('is refused beyond %s', async (_limit, type, length) => {
    const body = Buffer.alloc(length, 'x')
    const { status, body: reply } = await send('/', {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    })
    expect([status, JSON.parse(reply.toString())]).toMatchObject([413, { code: 'storage.requestTooLarge' }])
  })
})

describe('a result of the function', () => {
  it('sends each cookie in a header of its own', async () => {
    const { status, headers } = await send('/cookies')
    expect([status, headers.location, headers['set-cookie']]).toEqual([303, '/x', ['a=1; Path=/', 'b=2']])
  })

  it('sends bytes', async () => {
    const { headers, body } = await send('/bytes')
    expect([headers['content-type'], [...body]]).toEqual(['image/png', [0, 1, 2, 255]])
  })

  it('may have no body', async () => {
    expect((await send('/nothing')).status).toBe(204)
    expect((await send('/bytes', { method: 'HEAD' })).body).toHaveLength(0)
  })

  it('that is none is an error without a reason', async () => {
    const { status, body } = await send('/throws')
    expect([status, body.toString()]).toEqual([500, '{"message":"Internal Server Error"}'])
  })
})
