import { UserError } from '#lib/errors/errors.ts'
import { urlDecode } from '../../values/php/query.ts'

interface UrlParts {
  scheme: string | undefined
  authority: string | undefined
  path: string
  query: string | undefined
}

/** An absolute http or https address, taken apart. `origin` is scheme, host and port; `target` is path and query. */
export interface HttpUrl {
  href: string
  origin: string
  hostname: string
  target: string
  /** `user:password` of the address, decoded; it never goes on the wire as such. */
  userInfo: string | undefined
}

/**
 * Resolves a reference against a base address (RFC 3986, 5.2) and percent-encodes what may not stand in an address.
 *
 * Not `new URL`: that also rewrites characters that APIs compare byte by byte (`\`, `|`, `[`), and drops dot segments
 * from addresses that were absolute.
 *
 * @throws UserError `extractor.request.url` for anything but http and https
 */
export const resolveUrl = (base: string, reference: string): HttpUrl => {
  const from = split(base)
  const to = split(reference)
  const parts = combine(from, to)
  const scheme = parts.scheme?.toLowerCase()
  if ((scheme !== 'http' && scheme !== 'https') || !parts.authority) {
    throw new UserError('extractor.request.url', `Not an http or https address: ${reference}`)
  }
  const at = parts.authority.lastIndexOf('@')
  const userInfo = at < 0 ? undefined : parts.authority.slice(0, at)
  const host = parts.authority.slice(at + 1)
  let origin: URL
  try {
    origin = new URL(`${scheme}://${host}`)
  } catch (cause) {
    throw new UserError('extractor.request.url', `Not a valid host: ${host}`, { cause })
  }
  const path = percentEncode(parts.path.startsWith('/') ? parts.path : `/${parts.path}`, pathForbidden)
  const target = parts.query === undefined ? path : `${path}?${percentEncode(parts.query, queryForbidden)}`
  return {
    href: origin.origin + target,
    origin: origin.origin,
    hostname: origin.hostname,
    target,
    userInfo: userInfo === undefined ? undefined : urlDecode(userInfo.replaceAll('+', '%2B')),
  }
}

const pattern = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/ // RFC 3986, appendix B

const split = (text: string): UrlParts => {
  const found = pattern.exec(text.trim().replace(/[\r\n\t]/g, ''))
  return { scheme: found?.[1], authority: found?.[2], path: found?.[3] ?? '', query: found?.[4] }
}

const combine = (base: UrlParts, reference: UrlParts): UrlParts => {
  if (reference.scheme !== undefined) return reference
  const { scheme } = base
  if (reference.authority !== undefined) return { ...reference, scheme }
  const { authority } = base
  if (reference.path === '')
    return { scheme, authority, path: base.path, query: reference.query ?? base.query }
  const path = reference.path.startsWith('/')
    ? reference.path
    : `${base.path.slice(0, base.path.lastIndexOf('/') + 1) || '/'}${reference.path}`
  return { scheme, authority, path: withoutDots(path), query: reference.query }
}

// Allowed: unreserved, sub-delims, `%` of an escape, and `:@/` (a query also `?`). RFC 3986, 3.3 and 3.4
const pathForbidden = /[^A-Za-z0-9\-._~!$&'()*+,;=%:@/]+|%(?![0-9A-Fa-f]{2})/g
const queryForbidden = /[^A-Za-z0-9\-._~!$&'()*+,;=%:@/?]+|%(?![0-9A-Fa-f]{2})/g

const percentEncode = (text: string, forbidden: RegExp): string =>
  text.toWellFormed().replace(forbidden, run => encodeURIComponent(run))

/**
 * All readings of a path that a server may use, the path itself included. Servers, proxies and frameworks differ in
 * how often they decode `%2e`, in whether `\` and `//` part segments, whether `;x` belongs to a segment, and in what comes
 * first. `undefined`: too deeply encoded for any honest address.
 */
export const pathReadings = (path: string): ReadonlySet<string> | undefined => {
  const readings = new Set<string>()
  let text = path
  for (let level = 0; level <= MAX_LEVELS; level++) {
    const lenient = text.replaceAll('\\', '/').replace(/;[^/]*/g, '')
    for (const spelling of [text, lenient, lenient.replace(/\/{2,}/g, '/')])
      readings.add(decodeFully(spelling)).add(plainPath(spelling))
    const decoded = decodeOnce(text)
    if (decoded === text) return readings
    text = decoded
  }
  return undefined
}

const MAX_LEVELS = 4

/** Byte by byte: paths are compared, not shown. `%c0%ae` and `%c0%af` are dot and slash to careless decoders. */
const decodeOnce = (text: string): string =>
  text
    .replace(/%c0%ae/gi, '.')
    .replace(/%c0%af/gi, '/')
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** The rest of the levels, so that readings compare whatever the encoding. */
const decodeFully = (text: string): string => {
  let decoded = text
  for (let level = 0; level <= MAX_LEVELS; level++) decoded = decodeOnce(decoded)
  return decoded
}

/** A path as readings have it. */
export const plainPath = (path: string): string => decodeFully(withoutDots(path))

/** RFC 3986, 5.2.4. */
const withoutDots = (path: string): string => {
  const kept: string[] = []
  const segments = path.split('/')
  for (const segment of segments) {
    if (segment === '..') kept.pop()
    else if (segment !== '.') kept.push(segment)
  }
  const last = segments.at(-1)
  const text = kept.join('/') + (last === '.' || last === '..' ? '/' : '')
  return text.startsWith('/') ? text : `/${text}`
}
