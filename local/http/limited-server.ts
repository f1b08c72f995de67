import type { RequestListener, Server, ServerOptions } from 'node:http'
import { createServer } from '../../functions/lib/node-http.ts'

/** How long a connection may stay open before its caller is known. */
export interface ConnectionLimits {
  /** Until the headers of a request are complete. */
  readonly headersMs: number
  /** From the headers until the caller has proved who it is. */
  readonly unidentifiedMs: number
}

/** A slow line takes a second or two for either. */
export const usualLimits: ConnectionLimits = { headersMs: 10_000, unidentifiedMs: 10_000 }

/**
 * A server that answers 408 and closes the connection when the headers of a request take too long. Bodies have no time
 * limit unless `requestTimeout` sets one: a known caller may send 5 GiB over a slow line.
 */
export const createLimitedServer = (
  listener: RequestListener,
  { headersMs }: ConnectionLimits,
  options: ServerOptions = {},
): Server =>
  createServer(
    {
      requestTimeout: 0,
      ...options,
      headersTimeout: headersMs,
      // Node checks every 30 s by default: a limit of 10 s would take up to 40.
      connectionsCheckingInterval: Math.min(1_000, headersMs),
    },
    listener,
  )

/** For services whose signature covers the body: it must be read before the caller is known. */
export const wholeRequestTimeout = ({ headersMs, unidentifiedMs }: ConnectionLimits): number =>
  headersMs + unidentifiedMs
