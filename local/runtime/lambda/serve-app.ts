import type { ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { TransientCode } from '#lib/errors/codes.ts'
import { createLimitedServer } from '../../http/limited-server.ts'
import { OpenRequests } from '../../http/open-requests.ts'
import { replaceAuthority } from '../../http/request-origin.ts'
import { enter, leave } from './concurrency-pool.ts'
import type { FromWorker, ListenOptions } from './protocol.ts'

interface App {
  fetch(request: Request, ...rest: unknown[]): Promise<Response> | Response
}

interface ServeAppOptions extends ListenOptions {
  /** Resolves to the exports of the bundle. Requests wait for it. */
  readonly loaded: () => Promise<Record<string, unknown>>
  readonly say: (message: FromWorker) => void
}

export interface ServedApp {
  /** Finishes the open requests and refuses new ones. */
  drain(graceMs: number): Promise<void>
}

/** Serves the `app` of a bundle; says `listening` or `refused`. */
export const serveApp = ({ port, host, limits, concurrency, loaded, say }: ServeAppOptions): ServedApp => {
  const requests = new OpenRequests()
  const listener = getRequestListener(async (request, ...rest) => {
    const { app } = await loaded()
    if (!isApp(app)) throw new Error('The bundle does not export an app with fetch')
    return app.fetch(request, ...rest)
  })
  // The app identifies the caller by a header, so the adapter may refuse a request without reading its body.
  const server = createLimitedServer((request, response) => {
    if (requests.isDraining) return refuseWhileStopping(response)
    if (concurrency) {
      if (!enter(concurrency)) return refuseThrottled(response)
      response.once('close', () => leave(concurrency))
    }
    requests.add(response)
    // As the gateway does, which accepts no request for another host.
    replaceAuthority(request)
    void listener(request, response)
  }, limits)
  server.on('error', error =>
    say({ kind: 'refused', code: 'code' in error ? String(error.code) : '', message: error.message }),
  )
  server.listen(port, host, () => {
    const address = server.address()
    say({ kind: 'listening', port: typeof address === 'object' && address ? address.port : port })
  })
  return { drain: graceMs => requests.drain(graceMs) }
}

const isApp = (value: unknown): value is App =>
  typeof value === 'object' && value !== null && 'fetch' in value && typeof value.fetch === 'function'

/** What the gateway answers when Lambda throttles the function: 503, and a text of its own. */
const refuseThrottled = (response: ServerResponse) => {
  response.writeHead(503, { 'content-type': 'application/json' })
  response.end('{"message":"Service Unavailable"}')
}

/** In the form of the API's own errors: clients show the message and try again after the restart. */
const refuseWhileStopping = (response: ServerResponse) => {
  const status = 503
  const code: TransientCode = 'service.stopping'
  const body = {
    error: 'The service is stopping. Try again in a moment.',
    code,
    exceptionId: code,
    status: 'error',
  }
  response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '5', connection: 'close' })
  response.end(JSON.stringify(body))
}
