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
