import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** How long credentials are good for, in place of the hour that is the least. */
const SECONDS = 20
/**
 * A catalog and an object store in front of the real ones, where vended credentials end after some seconds: the store then refuses them as S3
 * does. `asked` gives the number of requests for new ones.
 */
export const startExpiringCredentials = async (real: { catalog: string; storage: string }) => {
  const ends = new Map<string, number>()
  let asked = 0
  const storage = await listen((incoming, outgoing) => {
    const token = String(incoming.headers['x-amz-security-token'] ?? '')
    if ((ends.get(token) ?? Number.POSITIVE_INFINITY) > Date.now())
      return forward(incoming, real.storage, reply => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
        reply.pipe(outgoing)
      })
    incoming.resume()
    outgoing.writeHead(400, { 'content-type': 'application/xml' })
    outgoing.end('<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>')
  })
  const catalog = await listen((incoming, outgoing) => {
    if (incoming.url === '/asked') return void outgoing.end(String(asked))
    if (incoming.url?.endsWith('/credentials')) asked++
    delete incoming.headers['accept-encoding']
    // A reply of 304 would leave a client with what it has.
    delete incoming.headers['if-none-match']
    forward(incoming, real.catalog, async reply => {
      const body = await text(reply)
      for (const [, token = ''] of body.matchAll(/"s3\.session-token":"([^"]+)"/g))
        if (!ends.has(token)) ends.set(token, Date.now() + SECONDS * 1000)
      const { 'content-length': _, 'transfer-encoding': __, ...headers } = reply.headers
      outgoing.writeHead(reply.statusCode ?? 502, headers)
      outgoing.end(
        body
          .replaceAll(real.storage, storage.url)
          .replaceAll(/("s3\.session-token-expires-at-ms":")\d+/g, `$1${Date.now() + SECONDS * 1000}`),
      )
    })
  })
  return {
    place: { uri: `${catalog.url}/iceberg`, seconds: SECONDS, asked: `${catalog.url}/asked` },
    close: async () => {
      await catalog.close()
      await storage.close()
    },
  }
}

/** The host stays as it was sent: it is signed. */
const forward = (incoming: IncomingMessage, to: string, answer: (reply: IncomingMessage) => void): void => {
  const { hostname, port } = new URL(to)
  const { method, url: path, headers } = incoming
  const sent = request({ hostname, port, method, path, headers }, answer)
  sent.on('error', error => incoming.destroy(error))
  incoming.pipe(sent)
}

const listen = async (
  handle: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): Promise<{ url: string; close: () => Promise<void> }> => {
  const server: Server = createServer(handle)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // It listens on a port.
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
