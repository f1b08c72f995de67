import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedRequest {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

export type Reply = (response: ServerResponse, request: ReceivedRequest) => void

export interface ScriptedServer {
  url: string
  /** Requests so far, in order. */
  received: ReceivedRequest[]
  /** Answers for the next requests, in order; the last one serves all that follow. */
  replyWith(...replies: Reply[]): void
  close(): Promise<void>
}

/** An HTTP server on a random port with scripted answers and faults. */
export const startScriptedServer = async (): Promise<ScriptedServer> => {
  const received: ReceivedRequest[] = []
  let replies: Reply[] = []
  const server = createServer(async (message, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of message) chunks.push(chunk)
    const { method = '', url = '', headers } = message
    const request = { method, url, headers, body: Buffer.concat(chunks).toString() }
    received.push(request)
    const reply = replies.length > 1 ? replies.shift() : replies[0]
    if (reply) reply(response, request)
    else response.writeHead(500).end('no reply was scripted')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // It listens on a port, not on a pipe.
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    replyWith: (...next) => {
      replies = next
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  response => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))
  }

export const noContent: Reply = response => {
  response.writeHead(204).end()
}

export const reset: Reply = response => {
  response.socket?.resetAndDestroy()
}

/** The first half of a body, then the connection is gone. */
export const halfABody =
  (body: unknown): Reply =>
  response => {
    const text = JSON.stringify(body)
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': text.length })
    response.write(text.slice(0, text.length / 2), () => response.socket?.destroy())
  }
