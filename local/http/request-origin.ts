import type { IncomingMessage } from 'node:http'

/** Names that mean this machine to everybody. The port may be another: containers and tunnels forward them. */
const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i

/**
 * The host and port of the addresses in an answer: what the client called this server, if that can be trusted.
 *
 * A `Host` header is anybody's text, and links made of it lead where its author wants. Trusted are the loopback names and
 * the address that the connection was made to; for any other name the answer has that address.
 */
export const requestAuthority = ({ headers: { host = '' }, socket }: IncomingMessage): string =>
  loopback.test(host) ? host : addressOf(socket)

export const requestOrigin = (request: IncomingMessage): string => `http://${requestAuthority(request)}`

/** For an app that makes addresses of what the request says. The target may name a host, too (RFC 9112, 3.2.2). */
export const replaceAuthority = (request: IncomingMessage): void => {
  request.headers.host = requestAuthority(request)
  request.url = request.url?.replace(/^https?:\/\/[^/?#]*\/?/i, '/')
}

const addressOf = ({ localAddress = '127.0.0.1', localPort = 0 }: IncomingMessage['socket']): string => {
  // An IPv4 client of a server that listens to IPv6.
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/, '')
  return `${address.includes(':') ? `[${address}]` : address}:${localPort}`
}
