import { type ReadTime, readIsoTime, type TimeParts, timePattern } from './time-pattern.ts'

/** What tables keep of a second. */
const FRACTION_DIGITS = 6

/** Of a text; `undefined` when it is none. */
type CastTime = (text: string) => string | undefined

/** `2026-03-01`: the day as it is written, in whatever zone. */
export const castDate = (format: string | undefined): CastTime => {
  const read = reader(format)
  return text => {
    const parts = read(text)
    return parts === undefined || millisecondsOf(parts) === undefined ? undefined : dayOf(parts)
  }
}

/** `2026-03-01 08:00:00`, with a fraction when there is one, in UTC. */
export const castTimestamp = (format: string | undefined): CastTime => {
  const read = reader(format)
  return text => {
    const parts = read(text)
    const milliseconds = parts === undefined ? undefined : millisecondsOf(parts)
    if (parts === undefined || milliseconds === undefined) return undefined
    const at = new Date(milliseconds - parts.zone * 60_000)
    if (!isFourDigits(at.getUTCFullYear())) return undefined
    const fraction = parts.fraction.slice(0, FRACTION_DIGITS).replace(/0+$/, '')
    return `${at.toISOString().slice(0, 19).replace('T', ' ')}${fraction === '' ? '' : `.${fraction}`}`
  }
}

const reader = (format: string | undefined): ReadTime => {
  const read = format === undefined ? readIsoTime : timePattern(format)
  if (read === undefined) throw new Error(`The format "${format}" was let through without a letter`)
  return read
}

/** As if it were UTC; `undefined` for a day or an hour that does not exist. */
const millisecondsOf = (parts: TimeParts): number | undefined => {
  const { year, month, day, minute, second, zone, isPm } = parts
  const isTwelve = isPm !== undefined
  if (isTwelve && (parts.hour < 1 || parts.hour > 12)) return undefined
  const hour = isTwelve ? (parts.hour % 12) + (isPm ? 12 : 0) : parts.hour
  if (hour > 23 || minute > 59 || second > 59 || Math.abs(zone) > 18 * 60 || !isFourDigits(year))
    return undefined
  const at = new Date(0)
  at.setUTCFullYear(year, month - 1, day)
  if (at.getUTCMonth() !== month - 1 || at.getUTCDate() !== day) return undefined
  return at.setUTCHours(hour, minute, second)
}

const isFourDigits = (year: number): boolean => year >= 1 && year <= 9999

const dayOf = ({ year, month, day }: TimeParts): string =>
  [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-')
