import type { Json } from '#lib/json/json-value.ts'
import { date } from '../php/date.ts'
import { toText } from '../php/php-values.ts'
import { momentOf } from '../select/ordering.ts'

/** That a `Date` can hold. */
const LATEST = 8.64e15

/** Milliseconds since 1970 of a value as the API writes it; `undefined` when it is no time. Without a zone it is UTC. */
export const readMoment = (value: Json, format = 'iso'): number | undefined => {
  const text = toText(value).trim()
  const isNumber = /^-?\d+(\.\d+)?$/.test(text)
  const moment =
    isNumber && format === 'seconds'
      ? Number(text) * 1_000
      : isNumber && format === 'milliseconds'
        ? Number(text)
        : momentOf(text)
  return moment === undefined || Math.abs(moment) > LATEST ? undefined : Math.floor(moment)
}

/** A moment as the API wants it: `iso`, `date`, `seconds`, `milliseconds`, or by a format of the function `date`. */
export const formatMoment = (moment: number, format = 'iso'): Json => {
  switch (format) {
    case 'iso':
      return isoTime(moment)
    case 'date':
      return isoTime(moment).split('T')[0] ?? ''
    case 'seconds':
      return Math.floor(moment / 1_000)
    case 'milliseconds':
      return moment
    default:
      return date(format, Math.floor(moment / 1_000))
  }
}

/** In UTC, with milliseconds where there are any. */
const isoTime = (moment: number): string => new Date(moment).toISOString().replace('.000Z', 'Z')

/** A length of time: months have no fixed length, all else has. */
interface Duration {
  months: number
  milliseconds: number
}

const PATTERN =
  /^P(?=\d|T)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,3})?)S)?)?$/

const DAY_MS = 86_400_000
const LONGEST_MONTHS = 12 * 1_000
const LONGEST_MS = 366_000 * DAY_MS

/**
 * A duration of ISO 8601 such as `P7D`, `P1M` or `PT1H30M`; seconds may have three decimals. `undefined` for any other
 * text, for nothing at all and for more than a thousand years.
 */
export const parseDuration = (text: string): Duration | undefined => {
  const found = PATTERN.exec(text)
  if (found === null) return undefined
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = found
    .slice(1)
    .map(part => Number(part ?? 0))
  const duration = {
    months: years * 12 + months,
    milliseconds:
      (weeks * 7 + days) * DAY_MS + hours * 3_600_000 + minutes * 60_000 + Math.round(seconds * 1_000),
  }
  const isNothing = duration.months === 0 && duration.milliseconds === 0
  const isTooLong = duration.months > LONGEST_MONTHS || duration.milliseconds > LONGEST_MS
  return isNothing || isTooLong ? undefined : duration
}

/** For a text that the schema has let through. */
export const durationOf = (text: string): Duration => {
  const duration = parseDuration(text)
  if (duration === undefined) throw new Error(`"${text}" was let through without being a duration`)
  return duration
}

/**
 * A moment and so many durations after it, in UTC. Months keep the day of the month, or take the last one that the month
 * has: from 31 January one month leads to 28 February, two lead to 31 March.
 */
export const plus = (moment: number, { months, milliseconds }: Duration, times = 1): number =>
  (months === 0 ? moment : plusMonths(moment, months * times)) + milliseconds * times

const plusMonths = (moment: number, months: number): number => {
  const date = new Date(moment)
  const day = date.getUTCDate()
  date.setUTCMonth(date.getUTCMonth() + months, 1)
  const last = new Date(date)
  last.setUTCMonth(last.getUTCMonth() + 1, 0)
  return date.setUTCDate(Math.min(day, last.getUTCDate()))
}
