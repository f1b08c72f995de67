import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A fault of one request: `Before` it reaches the server, or `After` the server has acted on it. */
export type Fault =
  | 'slowDown'
  | 'error500After'
  | 'resetBefore'
  | 'resetAfter'
  | 'halfABody'
  | 'slowFirstByte'

export interface FaultProxy {
  url: string
  /** Requests so far. */
  count: () => number
  /** Chooses the fault of each request from now on, by its number from 1. */
  decide: (rule: (request: IncomingMessage, number: number) => Fault | undefined) => void
  close: () => Promise<void>
}

const SLOW_MS = 150

/** An HTTP proxy in front of one server, with faults on demand. It keeps the Host header, which is signed. */
export const startFaultProxy = async (target: string): Promise<FaultProxy> => {
  const { hostname, port } = new URL(target)
  let number = 0
  let rule: (request: IncomingMessage, number: number) => Fault | undefined = () => undefined

  const server = createServer((incoming, outgoing) => {
    number += 1
    const fault = rule(incoming, number)
    if (fault === 'resetBefore') return void incoming.socket.resetAndDestroy()
    if (fault === 'slowDown') {
      incoming.resume()
      incoming.on('end', () => refuse(outgoing, 503, 'SlowDown'))
      return
    }
    const { method, url, headers } = incoming
    const forwarded = request({ hostname, port, method, path: url, headers }, response => {
      const { statusCode = 500, headers: answered } = response
      if (fault === 'resetAfter') {
        response.resume().on('end', () => incoming.socket.resetAndDestroy())
      } else if (fault === 'error500After') {
        response.resume().on('end', () => refuse(outgoing, 500, 'InternalError'))
      } else if (fault === 'halfABody') {
        outgoing.writeHead(statusCode, answered)
        const half = Math.floor(Number(answered['content-length'] ?? 0) / 2)
        let sent = 0
        response.on('data', (bytes: Buffer) => {
          const rest = bytes.subarray(0, Math.max(0, half - sent))
          sent += rest.length
          outgoing.write(rest, () => sent >= half && outgoing.destroy())
        })
        response.on('end', () => outgoing.destroy())
      } else {
        const answer = () => void response.pipe(outgoing.writeHead(statusCode, answered))
        if (fault === 'slowFirstByte') setTimeout(answer, SLOW_MS)
        else answer()
      }
    })
    forwarded.on('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  })
  // The client waits for it before it sends a body, and the proxy wants the body.
  server.on('checkContinue', (incoming, outgoing) => {
    outgoing.writeContinue()
    delete incoming.headers.expect
    server.emit('request', incoming, outgoing)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address() as AddressInfo // It listens on a port, not on a pipe.
  return {
    url: `http://127.0.0.1:${address.port}`,
    count: () => number,
    decide: next => {
      number = 0
      rule = next
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

const refuse = (response: ServerResponse, status: number, code: string): void => {
  response
    .writeHead(status, { 'Content-Type': 'application/xml' })
    .end(
      `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>a fault</Message></Error>`,
    )
}
