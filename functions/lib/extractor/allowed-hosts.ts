import { UserError } from '../errors.ts'
import type { AllowedHost } from './config/config-schema.ts'
import type { HttpUrl } from './request/resolve-url.ts'

/**
 * Refuses data requests to hosts that `image_parameters.allowed_hosts` does not name (facts 1.8): exact host, and scheme,
 * port and path (whole segments) where they are given. The field checks the configured jobs once; we check each request,
 * next pages, children and redirects too.
 *
 * @throws UserError `extractor.address.notAllowed`
 */
export const createHostCheck = (allowed: readonly AllowedHost[] | undefined): ((url: HttpUrl) => void) => {
  if (allowed === undefined || allowed.length === 0) return () => {}
  const rules = allowed.map(toRule)
  return url => {
    const { protocol, hostname, port } = new URL(url.origin)
    const path = `${url.target.split('?')[0]?.replace(/\/+$/, '') ?? ''}/`
    const isAllowed = rules.some(
      rule =>
        rule.host === hostname &&
        (rule.scheme === undefined || `${rule.scheme}:` === protocol) &&
        (rule.port === undefined || rule.port === effectivePort(protocol, port)) &&
        path.startsWith(rule.path),
    )
    if (isAllowed) return
    throw new UserError(
      'extractor.address.notAllowed',
      `URL "${url.href}" is not in the allowed hosts whitelist.`,
    )
  }
}

interface Rule {
  host: string
  scheme: string | undefined
  port: string | undefined
  path: string
}

const toRule = ({ host, scheme, port, endpoint }: AllowedHost): Rule => {
  // The host may also be a whole address
  const address = host.includes('://') ? new URL(host) : undefined
  const path = address?.pathname ?? endpoint ?? ''
  const protocol = scheme ?? address?.protocol.replace(':', '')
  return {
    host: (address?.hostname ?? host).toLowerCase(),
    scheme: protocol,
    port:
      address !== undefined
        ? effectivePort(address.protocol, address.port)
        : port === undefined
          ? undefined
          : String(port),
    path: `/${path.replace(/^\/+|\/+$/g, '')}/`.replace('//', '/'),
  }
}

const effectivePort = (protocol: string, port: string): string =>
  port || (protocol === 'https:' ? '443' : '80')
