import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { UserError } from '#lib/errors/errors.ts'
import type { Json } from '#lib/json/json-value.ts'
import type { Api } from '../../config/api-schema.ts'
import type { Authentication } from '../../config/authentication-schema.ts'
import type { AllowedHost } from '../../config/config-schema.ts'
import { everyJob, type Job } from '../../config/job-schema.ts'
import { toText } from '../../values/php/php-values.ts'
import { type HttpUrl, pathReadings, plainPath, resolveUrl } from './resolve-url.ts'

export type Resolve = (hostname: string) => Promise<LookupAddress[]>

const resolveBySystem: Resolve = hostname =>
  new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })

const blocked = new BlockList()
// IANA special-purpose registries (RFC 6890): everything that is not the public internet. Of IPv6 with the addresses of IPv4 that are written
// so (RFC 4291, 2.5.5.1; RFC 2765, 2.1); loopback among them
const networks = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24
  192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
  ::/96 ::ffff:0:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8`
for (const [, network = '', prefix] of networks.matchAll(/([^\s/]+)\/(\d+)/g))
  blocked.addSubnet(network, Number(prefix), network.includes(':') ? 'ipv6' : 'ipv4')

/** Whether an address is on the public internet: not loopback, private, link-local, metadata, multicast or reserved. */
export const isPublicAddress = (address: string): boolean => {
  const plain = address.replace(/^\[|\]$/g, '').split('%')[0] ?? ''
  const family = isIP(plain)
  if (family === 0) return false
  // Node's block list looks through IPv4-mapped addresses (::ffff:10.0.0.1) by itself
  return !blocked.check(plain, family === 4 ? 'ipv4' : 'ipv6')
}

/** @throws UserError `extractor.address.forbidden` */
const refusePrivate = (hostname: string, addresses: readonly string[]): void => {
  const refused = addresses.find(address => !isPublicAddress(address))
  if (refused === undefined) return
  throw new UserError(
    'extractor.address.forbidden',
    `Address of "${hostname}" is not on the public internet (${refused})`,
  )
}

/** Hosts written as numbers never reach the resolver, so they are checked before the connection is made. `allowed` pass. */
export const checkHost = (hostname: string, allowed: readonly string[] = []): void => {
  const plain = hostname.replace(/^\[|\]$/g, '')
  if (isIP(plain) !== 0 && !allowed.includes(plain)) refusePrivate(hostname, [plain])
}

/**
 * A resolver for sockets that refuses names with any private address. The connection goes to the very addresses that
 * were checked, so a name that resolves differently the next time (rebinding) gains nothing. Names in `allowed` pass.
 */
export const guardedLookup = (
  resolve: Resolve = resolveBySystem,
  allowed: readonly string[] = [],
): LookupFunction => {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      addresses => {
        const first = addresses[0]
        try {
          if (!allowed.includes(hostname))
            refusePrivate(
              hostname,
              addresses.map(({ address }) => address),
            )
        } catch (error) {
          callback(error as Error, '', 0) // refusePrivate throws UserErrors only
          return
        }
        if (first === undefined)
          callback(Object.assign(new Error(`No address for ${hostname}`), { code: 'ENOTFOUND' }), '', 0)
        else if (options.all === true) callback(null, addresses)
        else callback(null, first.address, first.family)
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, '', 0), // the resolver rejects with Errors
    )
  }
}

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

/**
 * Origins (scheme, host, port) that credentials and configured headers may go to: the base address, the login, origins
 * that the configuration lists, and those that the author wrote out in a job's endpoint. Never what a response names.
 *
 * @param evaluate works out an address that the configuration makes of its own settings
 */
export const trustedOrigins = (
  baseUrl: string,
  { api, jobs: given }: { api: Api; jobs: readonly Job[] },
  evaluate: (address: object) => Json | undefined,
): ReadonlySet<string> => {
  const jobs = [...everyJob(given)]
  const logins = [api, ...jobs].map(({ authentication }) => loginEndpointOf(authentication || undefined))
  const endpoints = jobs.map(({ endpoint }) => endpoint)
  const origins = new Set([resolveUrl(baseUrl, '').origin])
  for (const given of [...logins, ...(api.http?.trustedOrigins ?? []), ...endpoints]) {
    if (given === undefined) continue
    const endpoint = typeof given === 'string' ? given : toText(evaluate(given))
    const host = /^https?:\/\/([^/?#]*)/i.exec(endpoint)?.[1]
    // A placeholder in the host would let a response decide where credentials go
    if (host === undefined || host.includes('{')) continue
    origins.add(resolveUrl(baseUrl, endpoint).origin)
  }
  return origins
}

/** Where credentials are exchanged. */
const loginEndpointOf = (authentication: Authentication | undefined): string | object | undefined => {
  if (authentication === undefined) return undefined
  if ('loginRequest' in authentication) return authentication.loginRequest.endpoint
  return 'tokenUrl' in authentication ? authentication.tokenUrl : undefined
}
