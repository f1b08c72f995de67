import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { Crc32c } from '@aws-crypto/crc32c'
import { Crc64Nvme } from '@aws-sdk/crc64-nvme'
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

export const isChecksumValue = (algorithm: ChecksumAlgorithm, value: string): boolean => {
  const bytes = Buffer.from(value, 'base64')
  return bytes.length === valueBytes[algorithm] && bytes.toString('base64') === value
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
      digest: () => bigEndian32(value),
    }
  },
  CRC32C: () => {
    const checksum = new Crc32c()
    return { update: bytes => void checksum.update(bytes), digest: () => bigEndian32(checksum.digest()) }
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

const hashed = (name: string): RunningChecksum => {
  const hash = createHash(name)
  return { update: bytes => void hash.update(bytes), digest: () => hash.digest('base64') }
}

const bigEndian32 = (value: number): string => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes.toString('base64')
}
