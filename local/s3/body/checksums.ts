import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { Crc32c } from '@aws-crypto/crc32c'
import { Crc64Nvme } from '@aws-sdk/crc64-nvme'

/** As clients name them in `x-amz-checksum-algorithm`. The header of each is `x-amz-checksum-<lower case>`. */
export const checksumAlgorithms = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const

export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number]

export const isChecksumAlgorithm = (name: string): name is ChecksumAlgorithm =>
  checksumAlgorithms.some(algorithm => algorithm === name)

export const checksumHeader = (algorithm: ChecksumAlgorithm): string =>
  `x-amz-checksum-${algorithm.toLowerCase()}`

/** The element of XML bodies, such as `ChecksumCRC32`. */
export const checksumElement = (algorithm: ChecksumAlgorithm): `Checksum${ChecksumAlgorithm}` =>
  `Checksum${algorithm}`

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
  update(bytes: Uint8Array): void
  digest(): string | Promise<string>
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
    return {
      update: bytes => void checksum.update(bytes),
      digest: () => bigEndian32(checksum.digest()),
    }
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
