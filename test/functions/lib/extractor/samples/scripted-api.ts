import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as z from 'zod'
import type { SampleApi, SampleClock } from './sample.ts'

/** A request that the API expects once, and its answer. `test/samples/extractor/README.md` explains the keys. */
export const exchange = z.strictObject({
  request: z.string().regex(/^(GET|POST) \S+$/),
  requestHeaders: z.record(z.string(), z.string().nullable()).default({}),
  requestBody: z.json().optional(),
  status: z.int().default(200),
  responseHeaders: z.record(z.string(), z.string()).default({}),
  response: z.json().optional(),
  responseText: z.string().optional(),
  takesSeconds: z.number().default(0),
  breaksOff: z.literal(true).optional(),
})

type Exchange = z.output<typeof exchange>

/** An API that knows each of its exchanges once, in whatever order the requests come; of equal ones the first is next. */
export const startScriptedApi = async (
  exchanges: readonly Exchange[],
  clock: SampleClock,
): Promise<SampleApi> => {
  const open = [...exchanges]
  const unexpected: string[] = []

  const answer = (message: IncomingMessage, body: string, response: ServerResponse): void => {
    const position = open.findIndex(candidate => matches(candidate, message, body))
    const [found] = position < 0 ? [] : open.splice(position, 1)
    if (found === undefined) {
      unexpected.push(`not expected: ${describe(message, body)}`)
      response.writeHead(404).end('{}')
      return
    }
    clock.advance(found.takesSeconds)
    if (found.breaksOff) {
      message.socket.destroy()
      return
    }
    response.writeHead(found.status, { 'content-type': 'application/json', ...found.responseHeaders })
    response.end(found.responseText ?? JSON.stringify(found.response ?? []))
  }

  const server = createServer(async (message, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of message) chunks.push(chunk as Buffer) // a request without encoding gives buffers
    answer(message, Buffer.concat(chunks).toString('utf8'), response)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo // a TCP server has one
  return {
    port,
    problems: () => [...unexpected, ...open.map(({ request }) => `did not come: ${request}`)],
    close: () =>
      new Promise<void>(done => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}

const matches = (expected: Exchange, message: IncomingMessage, body: string): boolean => {
  const [method = '', address = ''] = expected.request.split(' ')
  const given = address.startsWith('/') ? message.url : `http://${message.headers.host}${message.url}`
  const wanted = expected.requestBody ?? ''
  return (
    method === message.method &&
    address === given &&
    body === (typeof wanted === 'string' ? wanted : JSON.stringify(wanted)) &&
    Object.entries(expected.requestHeaders).every(([name, value]) =>
      hasHeader(message.headers[name.toLowerCase()], value),
    )
  )
}

/** `*` stands for any text, `null` for a header that must not be there. */
const hasHeader = (given: string | string[] | undefined, wanted: string | null): boolean => {
  if (given === undefined || wanted === null) return given === undefined && wanted === null
  return new RegExp(`^${wanted.split('*').map(RegExp.escape).join('.*')}$`, 's').test(
    [given].flat().join(', '),
  )
}

const describe = ({ method, url, headers }: IncomingMessage, body: string): string =>
  JSON.stringify({ request: `${method} ${url}`, headers, body })
