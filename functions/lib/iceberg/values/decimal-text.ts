/** The number that big-endian two's complement bytes hold. */
export const unscaledFrom = (bytes: Uint8Array): bigint =>
  bytes.length === 0 ? 0n : BigInt.asIntN(bytes.length * 8, BigInt(`0x${Buffer.from(bytes).toString('hex')}`))

/** The fewest big-endian two's complement bytes that hold the number. */
export const unscaledBytes = (unscaled: bigint): Buffer => {
  let length = 1
  while (BigInt.asIntN(length * 8, unscaled) !== unscaled) length++
  const hex = BigInt.asUintN(length * 8, unscaled).toString(16)
  return Buffer.from(hex.padStart(length * 2, '0'), 'hex')
}

/** `-1.50` for -150 of scale 2. */
export const formatDecimal = (unscaled: bigint, scale: number): string => {
  const sign = unscaled < 0n ? '-' : ''
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0')
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** The counterpart of `formatDecimal`. Missing digits of the scale are zeros. */
export const parseDecimal = (text: string, scale: number): bigint => {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(`${whole}${fraction.padEnd(scale, '0')}`)
}
