import { createHash, createHmac } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { UserError } from '#lib/errors/errors.ts'

// Maps: an object would find `constructor` too, and names come from outside
const algorithms = new Map([
  ['md5', 'md5'],
  ['sha1', 'sha1'],
  ['sha224', 'sha224'],
  ['sha256', 'sha256'],
  ['sha384', 'sha384'],
  ['sha512', 'sha512'],
  ['sha512/224', 'sha512-224'],
  ['sha512/256', 'sha512-256'],
  ['sha3-224', 'sha3-224'],
  ['sha3-256', 'sha3-256'],
  ['sha3-384', 'sha3-384'],
  ['sha3-512', 'sha3-512'],
  ['ripemd160', 'ripemd160'],
])

/** Digest by PHP's names of algorithms, as bytes. */
export const digest = (algorithm: string, data: Buffer): Buffer => {
  const name = algorithm.toLowerCase()
  const checksum = checksums.get(name)
  if (checksum !== undefined) return checksum(data)
  return createHash(known(name, 'hash')).update(data).digest()
}

export const hmac = (algorithm: string, data: Buffer, key: Buffer): Buffer =>
  createHmac(known(algorithm.toLowerCase(), 'hash_hmac'), key).update(data).digest()

const known = (name: string, caller: string): string => {
  const algorithm = algorithms.get(name)
  if (algorithm !== undefined) return algorithm
  const kind = caller === 'hash' ? 'hashing algorithm' : 'cryptographic hashing algorithm'
  throw new UserError(
    'extractor.functions.badArguments',
    `${caller}(): Argument #1 ($algo) must be a valid ${kind}, '${name}' given (known: ${[...algorithms.keys()].join(', ')})`,
  )
}

const checksums = new Map<string, (data: Buffer) => Buffer>([
  ['crc32b', data => uint32(crc32(data))],
  ['adler32', data => adler32(data)],
  ['fnv132', data => fnv(data, (hash, byte) => Math.imul(hash, FNV_PRIME) ^ byte)],
  ['fnv1a32', data => fnv(data, (hash, byte) => Math.imul(hash ^ byte, FNV_PRIME))],
])

const adler32 = (data: Buffer): Buffer => {
  let a = 1
  let b = 0
  for (const byte of data) {
    a = (a + byte) % 65_521
    b = (b + a) % 65_521
  }
  return uint32(b * 65_536 + a)
}

const FNV_PRIME = 0x01000193

const fnv = (data: Buffer, step: (hash: number, byte: number) => number): Buffer => {
  let hash = 0x811c9dc5
  for (const byte of data) hash = step(hash, byte)
  return uint32(hash >>> 0)
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}
