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
export const withoutDots = (path: string): string => {
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
