import { date } from '../../php/date.ts'
import { parseDuration } from '../duration.ts'
import { isoTime, readMoment } from '../moments.ts'

/** A point in time while an expression is worked out, in milliseconds since 1970. */
export class Moment {
  readonly ms: number
  /** A day has no time of the day when it becomes a text. */
  readonly isDay: boolean
  constructor(ms: number, isDay = false) {
    this.ms = ms
    this.isDay = isDay
  }
  /** As Python writes it. */
  toString(): string {
    if (this.isDay) return isoTime(this.ms).slice(0, 10)
    const text = isoTime(this.ms).replace('T', ' ').replace('Z', '+00:00')
    return text.replace(/\.(\d{3})\+/, '.$1000+')
  }
}

/** A length of time while an expression is worked out. */
export class Span {
  readonly months: number
  readonly milliseconds: number
  constructor(given: { months: number; milliseconds: number }) {
    this.months = given.months
    this.milliseconds = given.milliseconds
  }
}

export const spanOf = (text: string): Span | undefined => {
  if (!/[1-9]/.test(text)) return /^P/.test(text) ? new Span({ months: 0, milliseconds: 0 }) : undefined
  // Shorter than a millisecond is nothing here
  const found = parseDuration(text.replace(/(\.\d{3})\d+S$/, '$1S'))
  return found === undefined
    ? /^PT0(\.\d+)?S$/.test(text)
      ? new Span({ months: 0, milliseconds: 0 })
      : undefined
    : new Span(found)
}

/** Letters of `strftime` as those of the function `date`. */
const letters: Readonly<Record<string, string>> = {
  Y: 'Y',
  m: 'm',
  d: 'd',
  H: 'H',
  M: 'i',
  S: 's',
  y: 'y',
  z: 'O',
  p: 'A',
  I: 'h',
  b: 'M',
  B: 'F',
  a: 'D',
  A: 'l',
  Z: 'e',
  '-d': 'j',
  '-m': 'n',
  '-H': 'G',
}

/** A format of `strftime` as one of the function `date`, where that can say it. */
const dateFormat = (format: string): string | undefined => {
  let isKnown = true
  const written = format.replace(/%(-?[A-Za-z%])|[A-Za-z\\]/g, (found, letter?: string) => {
    if (letter === undefined) return `\\${found}`
    if (letter === '%') return '%'
    const ours = letters[letter]
    isKnown &&= ours !== undefined
    return ours ?? ''
  })
  return isKnown ? written : undefined
}

/**
 * By a format of `strftime`; `%s` are seconds, `%ms` milliseconds, `%epoch_microseconds` microseconds, `%s_as_float`
 * seconds with six decimals.
 */
export const strftime = (moment: Moment, format: string): string => {
  if (format === '%s') return String(Math.floor(moment.ms / 1000))
  if (format === '%ms') return String(moment.ms)
  if (format === '%epoch_microseconds') return String(moment.ms * 1000)
  if (format === '%s_as_float') return (moment.ms / 1000).toFixed(6)
  const rest = new Date(moment.ms).getUTCMilliseconds()
  const filled = format
    .replaceAll('%_ms', String(rest).padStart(3, '0'))
    .replaceAll('%f', `${String(rest).padStart(3, '0')}000`)
    .replaceAll('%j', date('z', moment.ms / 1000))
    .replaceAll('%F', '%Y-%m-%d')
    .replaceAll('%T', '%H:%M:%S')
    .replaceAll('%s', String(Math.floor(moment.ms / 1000)))
  const known = dateFormat(filled)
  return known === undefined ? filled : date(known, Math.floor(moment.ms / 1000))
}

/** @param format of `strftime`, only told apart for Unix times: all others say what they are themselves */
export const toMoment = (value: unknown, format?: string): Moment | undefined => {
  if (value instanceof Moment) return value
  const text = String(value)
  if (/^-?\d+(\.\d+)?$/.test(text)) {
    const compact = format === '%Y%m%d' ? /^(\d{4})(\d\d)(\d\d)$/.exec(text) : null
    if (compact !== null) return toMoment(`${compact[1]}-${compact[2]}-${compact[3]}`)
    return new Moment(
      format === '%ms' || (format === undefined && Math.abs(Number(text)) > 1e11)
        ? Number(text)
        : Number(text) * 1000,
    )
  }
  const ms = readMoment(text)
  return ms === undefined ? undefined : new Moment(ms)
}
