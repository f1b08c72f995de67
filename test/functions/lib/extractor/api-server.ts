import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ApiRequest {
  method: string
  /** Path and query as sent. */
  url: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: string
}

/** What to answer: JSON, or with the response in hand anything that goes wrong. */
export type Answer = (request: ApiRequest, response: ServerResponse) => unknown

export interface ApiServer {
  origin: string
  requests: ApiRequest[]
  close(): Promise<void>
}

/** A server on a random loopback port. What `answer` returns goes out as JSON, unless it answered itself. */
export const startApi = async (answer: Answer): Promise<ApiServer> => {
  const requests: ApiRequest[] = []
  const server: Server = createServer(async (message, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of message) chunks.push(chunk as Buffer) // a request without encoding gives buffers
    const url = new URL(message.url ?? '/', 'http://localhost')
    const request: ApiRequest = {
      method: message.method ?? '',
      url: message.url ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: message.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    }
    requests.push(request)
    try {
      const value = await answer(request, response)
      if (response.headersSent || response.writableEnded || response.destroyed) return
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(value ?? null))
    } catch (error) {
      response.statusCode = 500
      response.end(String(error))
    }
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo // a TCP server has one
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise(done => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
