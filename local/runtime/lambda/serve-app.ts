import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Server } from 'node:net'
import type { TransientCode, UserCode } from '#lib/errors/codes.ts'
import { createLimitedServer, wholeRequestTimeout } from '../../http/limited-server.ts'
import { listen } from '../../http/listening.ts'
import { OpenRequests } from '../../http/open-requests.ts'
import { replaceAuthority } from '../../http/request-origin.ts'
import { type GatewayResult, readGatewayEvent, sendGatewayResult } from '../gateway/gateway-event.ts'
import { ServiceError } from '../service-error.ts'
import type { ListenOptions, Ports, TlsOptions } from './protocol.ts'

/** Of a connection with TLS on which nothing happens. */
const IDLE_MS = 120_000

interface ServeAppOptions extends ListenOptions {
  /** Resolves to the exports of the bundle. Requests wait for it. */
  readonly loaded: () => Promise<{ answer?: (event: object) => Promise<GatewayResult> }>
}

export interface ServedApp {
  /** Finishes the open requests and refuses new ones. */
  drain(graceMs: number): Promise<void>
}

/**
 * Serves the `answer` of a bundle as API Gateway serves its function: each request becomes the gateway's event, and each
 * reply comes from its result. Rejects when it cannot listen.
 */
export const serveApp = async ({
  port: asked,
  host,
  tls,
  limits,
  loaded,
}: ServeAppOptions): Promise<ServedApp & Ports> => {
  const requests = new OpenRequests()
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      const { answer } = await loaded()
      if (!answer) throw new Error('The bundle does not export an answer')
      sendGatewayResult(await answer(await readGatewayEvent(request)), response)
    } catch (error) {
      refuse(error, response)
    }
  }
  const take: RequestListener = (request, response) => {
    if (requests.isDraining) return refuseWhileStopping(response)
    requests.add(response)
    // As the gateway does, which accepts no request for another host.
    replaceAuthority(request, tls?.name)
    void handle(request, response)
  }
  const server = createLimitedServer(take, limits, { requestTimeout: wholeRequestTimeout(limits) })
  const [port, tlsPort] = await Promise.all([
    listen(server, { port: asked, host }),
    tls && listen(secureServer(tls, take), { ...tls, host }),
  ])
  return { port, tlsPort, drain: graceMs => requests.drain(graceMs) }
}

/** Requests of HTTP/2 have the form of those of HTTP/1.1 (Node.js, "HTTP/2 compatibility API"). */
const secureServer = ({ certificate: cert, key }: TlsOptions, take: RequestListener): Server => {
  const { createSecureServer } = process.getBuiltinModule('node:http2')
  const server = createSecureServer({ allowHTTP1: true, cert, key })
  server.on('session', session => session.setTimeout(IDLE_MS, () => session.close()))
  return server.on('request', take as never)
}

/** The gateway's own answers. An error of the function is one of them: nobody learns its reason. */
const refuse = (error: unknown, response: ServerResponse): void => {
  if (response.headersSent || response.destroyed) return
  const { status, message } =
    error instanceof ServiceError ? error : { status: 500, message: 'Internal Server Error' }
  if (status === 500) console.error(error)
  // Not read to its end, so the connection cannot serve another request.
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify(status === 413 ? ofTheApi('storage.requestTooLarge', message) : { message }))
}

/** In the form of the API's own errors: clients show the message and try again after the restart. */
const refuseWhileStopping = (response: ServerResponse) => {
  const body = ofTheApi('service.stopping', 'The service is stopping. Try again in a moment.')
  response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '5', connection: 'close' })
  response.end(JSON.stringify(body))
}

const ofTheApi = (code: TransientCode | UserCode, error: string) => ({
  error,
  code,
  exceptionId: code,
  status: 'error',
})
