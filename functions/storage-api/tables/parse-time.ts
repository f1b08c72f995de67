import { UserError } from '../../lib/errors/errors.ts'

const SECOND_MS = 1_000
const unitMs: Record<string, number> = {
  sec: SECOND_MS,
  second: SECOND_MS,
  min: 60 * SECOND_MS,
  minute: 60 * SECOND_MS,
  hour: 3_600 * SECOND_MS,
  day: 86_400 * SECOND_MS,
  week: 7 * 86_400 * SECOND_MS,
}
const unitMonths: Record<string, number> = { month: 1, year: 12 }

/**
 * Reads a time for `changedSince` and `changedUntil`: unix seconds, a date (UTC without a zone), `now`, `today`,
 * `yesterday`, `tomorrow`, or a distance such as `-2 days` or `3 hours ago`.
 *
 * Error: 400 `storage.tables.validation`.
 */
export const parseTime = (field: string, value: string, now: Date): Date => {
  const phrase = value.trim().toLowerCase()
  const time =
    parseUnixSeconds(phrase) ?? parseDay(phrase, now) ?? parseDistance(phrase, now) ?? parseDate(value.trim())
  if (!time || Number.isNaN(time.getTime()) || Math.abs(time.getUTCFullYear()) > 9999)
    throw new UserError(
      'storage.tables.validation',
      `Invalid request:\n - ${field}: "This is no time: ${value.slice(0, 100)}"`,
    )
  return time
}

/** Clocks of clients differ by this much. */
const MOST_AHEAD_MS = 60_000

/**
 * The time of a table that is asked for. Dates of the API have no fractions of a second, so one without them means the end
 * of that second: the `lastChangeDate` of a table is the table with that change. Never later than now.
 *
 * Errors: 400 `storage.timetravel.invalid` for the future, `storage.tables.validation`.
 */
export const readTimestamp = (timestamp: string, now: Date): Date => {
  const time = parseTime('timestamp', timestamp, now).getTime()
  if (time > now.getTime() + MOST_AHEAD_MS)
    throw new UserError('storage.timetravel.invalid', `The time ${timestamp.slice(0, 100)} is in the future.`)
  const endMs = time % 1000 === 0 ? time + 999 : time
  return new Date(Math.min(endMs, now.getTime()))
}

const parseUnixSeconds = (phrase: string): Date | undefined =>
  /^-?\d{1,12}$/.test(phrase) ? new Date(Number(phrase) * SECOND_MS) : undefined

const parseDay = (phrase: string, now: Date): Date | undefined => {
  if (phrase === 'now') return now
  const offset = { yesterday: -1, today: 0, midnight: 0, tomorrow: 1 }[phrase]
  if (offset === undefined) return undefined
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + offset))
}

const parseDistance = (phrase: string, now: Date): Date | undefined => {
  const match = /^([+-]?)\s*(\d{1,6})\s*([a-z]+?)s?(\s+ago)?$/.exec(phrase)
  if (!match) return undefined
  const [, sign, digits, unit = '', ago] = match
  const amount = Number(digits) * (sign === '-' ? -1 : 1) * (ago ? -1 : 1)
  const milliseconds = Object.hasOwn(unitMs, unit) ? unitMs[unit] : undefined
  if (milliseconds !== undefined) return new Date(now.getTime() + amount * milliseconds)
  const months = Object.hasOwn(unitMonths, unit) ? unitMonths[unit] : undefined
  if (months === undefined) return undefined
  const moved = new Date(now)
  moved.setUTCMonth(moved.getUTCMonth() + amount * months)
  return moved
}

const parseDate = (value: string): Date | undefined => {
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)\s*(Z|[+-]\d\d:?\d\d)?)?$/i.exec(
    value,
  )
  if (!match) return undefined
  const [, day, time = '00:00', zone = 'Z'] = match
  return new Date(`${day}T${time}${zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2').toUpperCase()}`)
}
