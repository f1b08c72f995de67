import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { Crc32c } from '@aws-crypto/crc32c'
import { Crc64Nvme } from '@aws-sdk/crc64-nvme'
import { formatCrc32 } from '#lib/combine-crc.ts'
import { S3Error } from '../errors.ts'

/** As clients name them in `x-amz-checksum-algorithm`. The header of each is `x-amz-checksum-<lower case>`. */
export const checksumAlgorithms = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const

export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number]

/** Values by their algorithms. */
export type Checksums = Partial<Record<ChecksumAlgorithm, string>>

/** The algorithm that a header names in letters of any case; undefined without a name. Throws InvalidRequest. */
export const readAlgorithm = (name: string | undefined): ChecksumAlgorithm | undefined => {
  const algorithm = checksumAlgorithms.find(one => one === name?.toUpperCase())
  if (name !== undefined && algorithm === undefined)
    throw new S3Error('InvalidRequest', 'Checksum algorithm provided is unsupported.')
  return algorithm
}

export const checksumHeader = (algorithm: ChecksumAlgorithm): string =>
  `x-amz-checksum-${algorithm.toLowerCase()}`

/** Named as in XML bodies, such as `ChecksumCRC32`. */
export const describeChecksums = (checksums: Checksums): Record<string, string> =>
  Object.fromEntries(Object.entries(checksums).map(([algorithm, value]) => [`Checksum${algorithm}`, value]))

/** Length of the value before base64, in bytes. */
const valueBytes: Record<ChecksumAlgorithm, number> = {
  CRC32: 4,
  CRC32C: 4,
  CRC64NVME: 8,
  SHA1: 20,
  SHA256: 32,
}

/** A checksum that grows with the bytes. `digest` ends it and gives base64; only CRC64NVME's takes a promise. */
interface RunningChecksum {
  update: (bytes: Uint8Array) => void
  digest: () => string | Promise<string>
}

export const startChecksum = (algorithm: ChecksumAlgorithm): RunningChecksum => starters[algorithm]()

const starters: Record<ChecksumAlgorithm, () => RunningChecksum> = {
  CRC32: () => {
    let value = 0
    return {
      update: bytes => {
        value = crc32(bytes, value)
      },
      digest: () => formatCrc32(value),
    }
  },
  CRC32C: () => {
    const checksum = new Crc32c()
    return { update: bytes => void checksum.update(bytes), digest: () => formatCrc32(checksum.digest()) }
  },
  CRC64NVME: () => {
    const checksum = new Crc64Nvme()
    return {
      update: bytes => checksum.update(bytes),
      digest: async () => Buffer.from(await checksum.digest()).toString('base64'),
    }
  },
  SHA1: () => hashed('sha1'),
  SHA256: () => hashed('sha256'),
}

/** MD5 and, of an algorithm, one checksum more of bytes that come in pieces. */
export const startDigests = (algorithm: ChecksumAlgorithm | undefined) => {
  const md5 = createHash('md5')
  const checksum = algorithm && startChecksum(algorithm)
  return {
    update: (bytes: Buffer): void => {
      md5.update(bytes)
      checksum?.update(bytes)
    },
    end: async (): Promise<{ md5: string; checksums: Checksums }> => {
      const value = await checksum?.digest()
      const checksums = algorithm === undefined || value === undefined ? {} : { [algorithm]: value }
      return { md5: md5.digest('hex'), checksums }
    },
  }
}

const hashed = (name: string): RunningChecksum => {
  const hash = createHash(name)
  return { update: bytes => void hash.update(bytes), digest: () => hash.digest('base64') }
}

/** The checksum that a client sends with a body: in a header, or in the trailer once the body is over. */
export interface PromisedChecksum {
  algorithm: ChecksumAlgorithm
  /** base64; undefined when it comes in the trailer. */
  value: string | undefined
}

/** Reads `x-amz-checksum-*`, `x-amz-trailer` and `x-amz-sdk-checksum-algorithm`. At most one checksum is allowed. */
export const readPromisedChecksum = (
  headers: Readonly<Record<string, string>>,
): PromisedChecksum | undefined => {
  const trailer = headers['x-amz-trailer']?.trim().toLowerCase()
  const inTrailer = checksumAlgorithms.filter(algorithm => checksumHeader(algorithm) === trailer)
  if (trailer !== undefined && inTrailer.length === 0)
    throw new S3Error('InvalidRequest', 'The value specified in the x-amz-trailer header is not supported')
  const inHeaders = checksumAlgorithms.filter(algorithm => headers[checksumHeader(algorithm)] !== undefined)
  const [algorithm, other] = [...inTrailer, ...inHeaders]
  if (other !== undefined) throw new S3Error('InvalidRequest', 'A request has one checksum, not several.')
  const declared = readAlgorithm(headers['x-amz-sdk-checksum-algorithm'])
  if (declared !== undefined && declared !== algorithm)
    throw new S3Error(
      'InvalidRequest',
      'x-amz-sdk-checksum-algorithm names another checksum than x-amz-checksum-* or x-amz-trailer.',
    )
  if (algorithm === undefined) return undefined
  const value = headers[checksumHeader(algorithm)]
  if (value !== undefined) checkValue(algorithm, value)
  return { algorithm, value }
}

const checkValue = (algorithm: ChecksumAlgorithm, value: string): void => {
  const bytes = Buffer.from(value, 'base64')
  if (bytes.length !== valueBytes[algorithm] || bytes.toString('base64') !== value)
    throw new S3Error('InvalidRequest', `Value for ${checksumHeader(algorithm)} header is invalid.`)
}

/** Throws when the body has another checksum than the client says, or the trailer has none. */
export const checkPromise = (
  promised: PromisedChecksum,
  actual: Checksums,
  trailers: ReadonlyMap<string, string> | undefined,
): void => {
  const { algorithm } = promised
  const value = promised.value ?? trailers?.get(checksumHeader(algorithm))
  if (value === undefined)
    throw new S3Error('InvalidRequest', `The trailer ${checksumHeader(algorithm)} is missing.`)
  checkValue(algorithm, value)
  if (value !== actual[algorithm])
    throw new S3Error('BadDigest', `The ${algorithm} you specified did not match the calculated checksum.`)
}
