const MICROS_PER_SECOND = 1_000_000n
const MICROS_PER_MINUTE = 60n * MICROS_PER_SECOND
const MICROS_PER_HOUR = 60n * MICROS_PER_MINUTE
const MICROS_PER_DAY = 24n * MICROS_PER_HOUR
const MILLIS_PER_DAY = 86_400_000

const pad = (value: bigint, digits: number): string => String(value).padStart(digits, '0')

/** `2026-11-21` for days since 1970-01-01. */
export const formatDate = (days: number): string => {
  const [date] = new Date(days * MILLIS_PER_DAY).toISOString().split('T')
  return date ?? ''
}

export const parseDate = (text: string): number => Date.parse(`${text}T00:00:00Z`) / MILLIS_PER_DAY

/** `12:30:00.000000` for microseconds since midnight. */
export const formatTime = (micros: bigint): string => {
  const hours = micros / MICROS_PER_HOUR
  const minutes = (micros % MICROS_PER_HOUR) / MICROS_PER_MINUTE
  const seconds = (micros % MICROS_PER_MINUTE) / MICROS_PER_SECOND
  return `${pad(hours, 2)}:${pad(minutes, 2)}:${pad(seconds, 2)}.${pad(micros % MICROS_PER_SECOND, 6)}`
}

export const parseTime = (text: string): bigint => {
  const [hours = '0', minutes = '0', seconds = '0'] = text.split(':')
  const [whole = '0', fraction = ''] = seconds.split('.')
  const micros = BigInt(fraction.padEnd(6, '0').slice(0, 6))
  return (
    BigInt(hours) * MICROS_PER_HOUR +
    BigInt(minutes) * MICROS_PER_MINUTE +
    BigInt(whole) * MICROS_PER_SECOND +
    micros
  )
}

/** `2026-11-21T12:30:00.000000` for microseconds since 1970-01-01T00:00. */
export const formatTimestamp = (micros: bigint): string => {
  const inDay = ((micros % MICROS_PER_DAY) + MICROS_PER_DAY) % MICROS_PER_DAY
  return `${formatDate(Number((micros - inDay) / MICROS_PER_DAY))}T${formatTime(inDay)}`
}

/** The counterpart of `formatTimestamp`. A `Z` at the end is passed over. */
export const parseTimestamp = (text: string): bigint => {
  const at = text.indexOf('T', 1)
  return (
    BigInt(parseDate(text.slice(0, at))) * MICROS_PER_DAY + parseTime(text.slice(at + 1).replace(/Z$/, ''))
  )
}
