const MILLIS_PER_DAY = 86_400_000

/** `2026-11-21` for days since 1970-01-01. */
export const formatDate = (days: number): string => {
  const [date] = new Date(days * MILLIS_PER_DAY).toISOString().split('T')
  return date ?? ''
}

export const parseDate = (text: string): number => Date.parse(`${text}T00:00:00Z`) / MILLIS_PER_DAY

/** `2026-11-21T12:30:00.000000` for microseconds since 1970-01-01T00:00. */
export const formatTimestamp = (micros: bigint): string => {
  const inMillisecond = ((micros % 1000n) + 1000n) % 1000n
  const time = new Date(Number((micros - inMillisecond) / 1000n)).toISOString()
  return time.replace('Z', String(inMillisecond).padStart(3, '0'))
}

/** The counterpart of `formatTimestamp`. A `Z` at the end is passed over, and the seconds may be missing. */
export const parseTimestamp = (text: string): bigint => {
  const [seconds = '', fraction = ''] = text.replace(/Z$/, '').split('.')
  return BigInt(Date.parse(`${seconds}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0').slice(0, 6))
}
