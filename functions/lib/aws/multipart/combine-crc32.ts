/** The reflected polynomial of CRC-32 (ISO 3309), which S3 calls CRC32. */
const POLYNOMIAL = 0xedb88320

/** The polynomial 1: bits are reflected, so the highest coefficient is the lowest bit. */
const ONE = 0x80000000

/**
 * The CRC-32 of two joined byte sequences, from the CRC-32 of each and the length of the second.
 *
 * Appending n bytes multiplies the first CRC by x^(8n) modulo the polynomial. Squaring finds that power.
 */
export const combineCrc32 = (first: number, second: number, secondBytes: number): number =>
  (multiply(powerOfX(secondBytes), first) ^ second) >>> 0

const multiply = (a: number, b: number): number => {
  let product = 0
  let shifted = b
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if (a & bit) product ^= shifted
    shifted = shifted & 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1
  }
  return product >>> 0
}

/** x^(8 · bytes). Lengths exceed 32 bits, so they are halved rather than shifted. */
const powerOfX = (bytes: number): number => {
  let power = ONE
  // x^8, squared at each step: x^16, x^32, …
  let square = ONE >>> 8
  for (let rest = bytes; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) power = multiply(square, power)
    square = multiply(square, square)
  }
  return power
}

/** As S3 writes it: base64 of four bytes, the highest first. */
export const formatCrc32 = (crc: number): string => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc)
  return bytes.toString('base64')
}

export const parseCrc32 = (text: string): number => Buffer.from(text, 'base64').readUInt32BE()
