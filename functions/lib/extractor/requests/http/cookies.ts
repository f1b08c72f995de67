import { parseCookie } from 'undici'
import type { ResponseHeaders } from '../answers/http-response.ts'
import type { HttpUrl } from './resolve-url.ts'

interface Kept {
  name: string
  value: string
  /** That set it. */
  host: string
  /** Hosts below it get it too; absent: its own host alone. */
  domain: string | undefined
  path: string
  isSecure: boolean
  /** Seconds since 1970. */
  expires: number
}

type Jar = Map<string, Kept>

/** Cookies of one server, whatever it sends. */
const MAX_COOKIES = 100

/** Cookies of a job, with those of the login that it has. */
export interface Cookies {
  /** Takes what a response sets. Returns the values. */
  take(url: HttpUrl, headers: ResponseHeaders): string[]
  /** What goes along with a request, the longest paths first (RFC 6265, 5.4). */
  of(url: HttpUrl): readonly Pick<Kept, 'name' | 'value'>[]
}

/**
 * Cookies of the requests that share a login, in memory alone: a login's go with all jobs, what a job is given stays with it. They go to the
 * host that set them, and to hosts below its `Domain` as far as credentials may go there.
 *
 * @param now seconds since 1970
 */
export const createCookies = (now: () => number): { login: Cookies; ofJob: (path: string) => Cookies } => {
  const ofLogin: Jar = new Map()
  const ofJobs = new Map<string, Jar>()
  const cookies = (jar: Jar, jars: () => readonly Jar[]): Cookies => ({
    take: (url, headers) => {
      const taken = [headers['set-cookie'] ?? []].flat().flatMap(text => read(text, url, now()) ?? [])
      for (const each of jars()) for (const cookie of taken) put(each, cookie, now())
      return taken.map(({ value }) => value)
    },
    of: url =>
      [...jar.values()]
        .filter(cookie => cookie.expires > now() && belongs(cookie, url))
        .toSorted((a, b) => b.path.length - a.path.length),
  })
  return {
    login: cookies(ofLogin, () => [ofLogin, ...ofJobs.values()]),
    ofJob: path => {
      const jar = ofJobs.get(path) ?? new Map(ofLogin)
      ofJobs.set(path, jar)
      return cookies(jar, () => [jar])
    },
  }
}

const read = (text: string, { hostname, target }: HttpUrl, now: number): Kept | undefined => {
  const parsed = parseCookie(text)
  if (parsed === null || parsed.name === '') return undefined
  const { name, value, domain = '', path, maxAge, expires, secure } = parsed
  if (domain !== '' && !isWithin(hostname, domain)) return undefined
  return {
    name,
    value,
    host: hostname,
    domain: domain || undefined,
    path: path ?? /^(\/.*)\/|^/.exec(target.replace(/\?.*$/s, ''))?.[1] ?? '/',
    isSecure: secure === true,
    expires:
      maxAge === undefined ? (expires === undefined ? Infinity : Number(expires) / 1000) : now + maxAge,
  }
}

const put = (jar: Jar, cookie: Kept, now: number): void => {
  const key = JSON.stringify([cookie.name, cookie.domain ?? cookie.host, cookie.path])
  if (cookie.expires > now) jar.set(key, cookie)
  else jar.delete(key)
  for (const oldest of jar.keys()) {
    if (jar.size <= MAX_COOKIES) break
    jar.delete(oldest)
  }
}

const belongs = ({ host, domain, path, isSecure }: Kept, url: HttpUrl): boolean =>
  (domain === undefined ? url.hostname === host : isWithin(url.hostname, domain)) &&
  `${url.target.replace(/\?.*$/s, '')}/`.startsWith(path.endsWith('/') ? path : `${path}/`) &&
  (!isSecure || url.origin.startsWith('https:'))

const isWithin = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`)
