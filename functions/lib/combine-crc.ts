/** A CRC that is computed least significant bit first: its width, and its polynomial in that order of bits. */
export interface Crc {
  width: number
  polynomial: bigint
}

interface Piece<Value> {
  crc: Value
  bytes: number
}

/**
 * The CRC of pieces put together, from that of each. At least one piece.
 *
 * Appending n bytes multiplies the CRC so far by x^(8n) modulo the polynomial; the two inversions that CRCs carry
 * cancel out, so the rest is an exclusive or. (zlib has the same sum in C, but Node does not expose it.)
 */
export const combineCrcs = (field: Crc, pieces: readonly Piece<bigint>[]): bigint => {
  // Parts mostly have one size, and the power is what takes time: without this, 10,000 parts take seconds.
  const powers = new Map<number, bigint>()
  const powerFor = (bytes: number): bigint => {
    const power = powers.get(bytes) ?? powerOfX(BigInt(bytes) * 8n, field)
    powers.set(bytes, power)
    return power
  }
  return pieces.reduce((whole, { crc, bytes }) => ({
    crc: multiply(whole.crc, powerFor(bytes), field) ^ crc,
    bytes,
  })).crc
}

/** Product of two polynomials modulo the field's. The highest bit stands for x^0. */
const multiply = (a: bigint, b: bigint, { width, polynomial }: Crc): bigint => {
  let product = 0n
  let shifted = b
  for (let bit = BigInt(width - 1); bit >= 0n; bit--) {
    if ((a >> bit) & 1n) product ^= shifted
    shifted = shifted & 1n ? (shifted >> 1n) ^ polynomial : shifted >> 1n
  }
  return product
}

const powerOfX = (exponent: bigint, field: Crc): bigint => {
  const one = 1n << BigInt(field.width - 1)
  let [power, square] = [one, one >> 1n]
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) power = multiply(power, square, field)
    square = multiply(square, square, field)
  }
  return power
}

/** ISO 3309, which S3 calls CRC32. */
export const CRC32: Crc = { width: 32, polynomial: 0xedb88320n }

/** CRC32s as zlib has them; of nothing it is 0. */
export const combineCrc32 = (pieces: readonly Piece<number>[]): number => {
  const all = [{ crc: 0, bytes: 0 }, ...pieces].map(({ crc, bytes }) => ({ crc: BigInt(crc), bytes }))
  return Number(combineCrcs(CRC32, all))
}

/** As S3 writes it: base64 of four bytes, the highest first. */
export const formatCrc32 = (crc: number): string => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc)
  return bytes.toString('base64')
}

export const parseCrc32 = (text: string): number => Buffer.from(text, 'base64').readUInt32BE()
