import type { IncomingMessage } from 'node:http'

/** Names that always mean this machine. The port may differ: containers and tunnels forward it. */
const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i

/**
 * Host and port for the addresses in an answer: the name that the client used, if it can be trusted.
 *
 * Anybody can send any `Host` header, and links made from it lead where its author wants. Trusted are the loopback names
 * and the address that the connection was made to, which also replaces any other name.
 */
const requestAuthority = ({ headers, socket }: IncomingMessage, name?: string): string => {
  // In HTTP/2 it has another name.
  const host = headers.host ?? String(headers[':authority'] ?? '')
  const isOurs = name !== undefined && `.${host.replace(/:\d+$/, '')}`.endsWith(`.${name}`)
  return isOurs || loopback.test(host) ? host : addressOf(socket)
}

export const requestOrigin = (request: IncomingMessage): string => `http://${requestAuthority(request)}`

/**
 * For an app that makes addresses from the request. The request target may name a host, too (RFC 9112, 3.2.2).
 *
 * @param name of the certificate: this host and those below it are trusted, too
 */
export const replaceAuthority = (request: IncomingMessage, name?: string): void => {
  request.headers.host = requestAuthority(request, name)
  request.url = request.url?.replace(/^https?:\/\/[^/?#]*\/?/i, '/')
}

const addressOf = ({ localAddress = '127.0.0.1', localPort = 0 }: IncomingMessage['socket']): string => {
  // An IPv4 client of a server that listens on IPv6.
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/, '')
  return `${address.includes(':') ? `[${address}]` : address}:${localPort}`
}
