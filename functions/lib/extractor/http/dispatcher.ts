import { Agent, type Dispatcher } from 'undici'
import { guardedLookup, type Resolve } from './address-guard.ts'

interface DispatcherOptions {
  connectTimeoutSeconds: number
  requestTimeoutSeconds: number
  /** PEM; replaces the trust store. */
  caCertificate?: string | undefined
  /** PEM certificate followed by its key. */
  clientCertificate?: string | undefined
  /** Refuse addresses that are not on the public internet. */
  guard: boolean
  /** Private hosts that the guard allows. */
  allowedPrivateHosts?: readonly string[] | undefined
  /** Connections per origin. */
  connections: number
  /** For tests of the guard. */
  resolve?: Resolve | undefined
}

/** Keep-alive connections, HTTP/2 where the server offers it. */
export const createDispatcher = (options: DispatcherOptions): Dispatcher =>
  new Agent({
    allowH2: true,
    connections: options.connections,
    headersTimeout: options.requestTimeoutSeconds * 1000,
    bodyTimeout: options.requestTimeoutSeconds * 1000,
    connectTimeout: options.connectTimeoutSeconds * 1000,
    connect: {
      timeout: options.connectTimeoutSeconds * 1000,
      ...(options.caCertificate === undefined ? {} : { ca: options.caCertificate }),
      ...(options.clientCertificate === undefined
        ? {}
        : { cert: options.clientCertificate, key: options.clientCertificate }),
      ...(options.guard ? { lookup: guardedLookup(options.resolve, options.allowedPrivateHosts) } : {}),
    },
  })
