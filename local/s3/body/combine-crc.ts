import { CRC32, type Crc, combineCrcs } from '#lib/combine-crc.ts'
import type { ChecksumAlgorithm } from './checksums.ts'

const crcs: Partial<Record<ChecksumAlgorithm, Crc>> = {
  CRC32,
  CRC32C: { width: 32, polynomial: 0x82f63b78n },
  CRC64NVME: { width: 64, polynomial: 0x9a6c9329ac4bc9b5n },
}

/** Only a CRC of the whole follows from the CRCs of its pieces; a hash does not. */
export const canCombine = (algorithm: ChecksumAlgorithm): boolean => crcs[algorithm] !== undefined

/** The CRC of pieces put together, from the CRC (base64) and the length (bytes) of each. At least one piece. */
export const combineChecksums = (
  algorithm: ChecksumAlgorithm,
  pieces: readonly { value: string; size: number }[],
): string => {
  const crc = crcs[algorithm]
  if (crc === undefined) throw new Error(`${algorithm} values cannot be combined`)
  const whole = combineCrcs(
    crc,
    pieces.map(({ value, size }) => ({ crc: toInteger(value), bytes: size })),
  )
  return Buffer.from(whole.toString(16).padStart(crc.width / 4, '0'), 'hex').toString('base64')
}

const toInteger = (base64: string): bigint => BigInt(`0x${Buffer.from(base64, 'base64').toString('hex')}`)
