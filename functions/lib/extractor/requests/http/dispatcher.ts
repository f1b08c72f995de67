import { Agent, buildConnector, type Dispatcher } from 'undici'
import { guardedLookup, type Resolve } from './address-guard.ts'

interface DispatcherOptions {
  connectTimeoutSeconds: number
  requestTimeoutSeconds: number
  /** PEM; replaces the trust store. */
  caCertificate?: string | undefined
  /** PEM certificate followed by its key. */
  clientCertificate?: string | undefined
  guard?: boolean
  allowedPrivateHosts?: readonly string[] | undefined
  /** Connections per origin. */
  connections: number
  resolve?: Resolve | undefined
}

/** Keep-alive connections, HTTP/2 where the server offers it. */
export const createDispatcher = (options: DispatcherOptions): Dispatcher =>
  new Agent({
    allowH2: true,
    connections: options.connections,
    headersTimeout: options.requestTimeoutSeconds * 1000,
    bodyTimeout: options.requestTimeoutSeconds * 1000,
    maxHeaderSize: 300 * 1024, // what curl reads of the headers of one response
    connectTimeout: options.connectTimeoutSeconds * 1000,
    connect: noticingResets({
      allowH2: true,
      timeout: options.connectTimeoutSeconds * 1000,
      ca: options.caCertificate,
      cert: options.clientCertificate,
      key: options.clientCertificate,
      ...(options.guard ? { lookup: guardedLookup(options.resolve, options.allowedPrivateHosts) } : {}),
    }),
  })

let isReset = false

/**
 * Whether the connection of the response that ends just now is being reset. undici takes a reset for the end of a body whose length nobody
 * told; an end it may be, but not of all of it.
 */
export const isBeingReset = (): boolean => isReset

/** The error of a socket is noticed here first, and then by undici, which ends the response in the same step. */
const noticingResets = (options: buildConnector.BuildOptions): buildConnector.connector => {
  const connect = buildConnector(options)
  return (target, callback) =>
    connect(target, (...[error, socket]) => {
      socket?.on('error', (cause: NodeJS.ErrnoException) => {
        isReset = cause.code === 'ECONNRESET'
        process.nextTick(() => {
          isReset = false
        })
      })
      if (error === null) callback(null, socket)
      else callback(error, null)
    })
}
