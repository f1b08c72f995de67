import { UserError } from '#lib/errors/errors.ts'
import type { AllowedHost } from '../../config/config-schema.ts'
import { pathReadings, plainPath } from './path-readings.ts'
import type { HttpUrl } from './resolve-url.ts'

/**
 * Refuses requests to hosts that `image_parameters.allowed_hosts` does not name
 * (docs/reference/extractor-requests.md#where-requests-may-go): exact host, and scheme, port and path (whole segments) where
 * they are given. Generic Extractor checks the configured jobs once; we check each request: logins, next pages,
 * children and redirects too. A path is allowed when it is so however a server may read it.
 *
 * @throws UserError `extractor.address.notAllowed`; for a rule that is no host `extractor.address.badRule`
 */
export const createHostCheck = (allowed: readonly AllowedHost[] | undefined): ((url: HttpUrl) => void) => {
  if (allowed === undefined || allowed.length === 0) return () => {}
  const rules = allowed.map(toRule)
  return url => {
    const { protocol, hostname, port } = new URL(url.origin)
    const open = rules.filter(
      rule =>
        rule.host === withoutLastDot(hostname) &&
        (rule.scheme === undefined || rule.scheme === protocol) &&
        (rule.port === undefined || rule.port === effectivePort(protocol, port)),
    )
    if (open.some(({ path }) => path === '/' || isBelow(path, url.target))) return
    throw new UserError(
      'extractor.address.notAllowed',
      `URL "${url.href}" is not in the allowed hosts whitelist.`,
    )
  }
}

const isBelow = (allowed: string, target: string): boolean => {
  const readings = pathReadings(target.split('?')[0] ?? '')
  return readings !== undefined && [...readings].every(path => `${path}/`.startsWith(allowed))
}

interface Rule {
  host: string
  scheme: string | undefined
  port: string | undefined
  /** Begins and ends with a slash; decoded. */
  path: string
}

const toRule = ({ host, scheme, port, endpoint }: AllowedHost): Rule => {
  // The host may also be a whole address
  const isAddress = host.includes('://')
  const address = URL.parse(isAddress ? host : `http://${host.includes(':') ? bracketed(host) : host}`)
  if (address === null)
    throw new UserError('extractor.address.badRule', `"${host}" in the allowed hosts is not a host.`)
  const given = isAddress && address.pathname !== '/' ? address.pathname : (endpoint ?? '')
  const ownPort = isAddress ? effectivePort(address.protocol, address.port) : address.port
  return {
    host: withoutLastDot(address.hostname),
    scheme: scheme !== undefined ? `${scheme.toLowerCase()}:` : isAddress ? address.protocol : undefined,
    port: ownPort !== '' ? ownPort : port === undefined ? undefined : String(port),
    path: `/${plainPath(given).replace(/^\/+|\/+$/g, '')}/`.replace('//', '/'),
  }
}

/** `::1` without brackets is an address; `host:8080` has a port. */
const bracketed = (host: string): string => (/^[^[]*:.*:/.test(host) ? `[${host}]` : host)

/** `host.` is `host`, spelled as names are in DNS. */
const withoutLastDot = (hostname: string): string => hostname.replace(/\.$/, '')

const effectivePort = (protocol: string, port: string): string =>
  port || (protocol === 'https:' ? '443' : '80')
