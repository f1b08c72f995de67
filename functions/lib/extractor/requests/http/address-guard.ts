import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { UserError } from '#lib/errors/errors.ts'

export type Resolve = (hostname: string) => Promise<LookupAddress[]>

const resolveBySystem: Resolve = hostname =>
  new Promise((resolve, reject) => {
    systemLookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })

const blocked = new BlockList()
// IANA special-purpose registries (RFC 6890): everything that is not the public internet
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const)
  blocked.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of [
  // With the addresses of IPv4 that are written as IPv6 (RFC 4291, 2.5.5.1; RFC 2765, 2.1); loopback among them
  ['::', 96],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  blocked.addSubnet(network, prefix, 'ipv6')

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
