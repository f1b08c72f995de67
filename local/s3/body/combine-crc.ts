import type { ChecksumAlgorithm } from './checksums.ts'

/** Bit-reversed polynomials, as all three are computed least significant bit first. */
const polynomials: Partial<Record<ChecksumAlgorithm, { width: number; polynomial: bigint }>> = {
  CRC32: { width: 32, polynomial: 0xedb88320n },
  CRC32C: { width: 32, polynomial: 0x82f63b78n },
  CRC64NVME: { width: 64, polynomial: 0x9a6c9329ac4bc9b5n },
}

/** Only a CRC of the whole follows from the CRCs of its pieces; a hash does not. */
export const canCombine = (algorithm: ChecksumAlgorithm): boolean => polynomials[algorithm] !== undefined

/**
 * The CRC of pieces put together, from the CRC (base64) and the length (bytes) of each. At least one piece.
 *
 * Appending n bytes multiplies the CRC so far by x^(8n) modulo the polynomial; the two inversions that CRCs carry
 * cancel out, so the rest is an exclusive or. (zlib has the same sum in C, but Node does not expose it.)
 */
export const combineCrcs = (
  algorithm: ChecksumAlgorithm,
  pieces: readonly { value: string; size: number }[],
): string => {
  const field = polynomials[algorithm]
  if (field === undefined) throw new Error(`${algorithm} values cannot be combined`)
  // Parts mostly have one size, and the power is what takes time: without this, 10,000 parts take seconds.
  const powers = new Map<number, bigint>()
  const powerFor = (size: number): bigint => {
    const power = powers.get(size) ?? powerOfX(BigInt(size) * 8n, field)
    powers.set(size, power)
    return power
  }
  const combined = pieces
    .map(({ value, size }) => ({ crc: toInteger(value), size }))
    .reduce((whole, { crc, size }) => ({ crc: multiply(whole.crc, powerFor(size), field) ^ crc, size }))
  return Buffer.from(combined.crc.toString(16).padStart(field.width / 4, '0'), 'hex').toString('base64')
}

interface Field {
  width: number
  polynomial: bigint
}

/** Product of two polynomials modulo the field's. The highest bit stands for x^0. */
const multiply = (a: bigint, b: bigint, { width, polynomial }: Field): bigint => {
  let product = 0n
  let shifted = b
  for (let bit = BigInt(width - 1); bit >= 0n; bit--) {
    if ((a >> bit) & 1n) product ^= shifted
    shifted = shifted & 1n ? (shifted >> 1n) ^ polynomial : shifted >> 1n
  }
  return product
}

const powerOfX = (exponent: bigint, field: Field): bigint => {
  const one = 1n << BigInt(field.width - 1)
  let [power, square] = [one, one >> 1n]
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) power = multiply(power, square, field)
    square = multiply(square, square, field)
  }
  return power
}

const toInteger = (base64: string): bigint => BigInt(`0x${Buffer.from(base64, 'base64').toString('hex')}`)
