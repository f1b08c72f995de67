import { format, type ReadTime, relativeFormats, resolveTime, type TimeFormat } from './relative-time.ts'

/** No date is as long, and each format is tried at each place. */
const MAX_LENGTH = 1_000

/**
 * PHP's `strtotime`: seconds since 1970 (UTC) of a date, a time or a relative text such as `last day of next month`,
 * seen from `base`; `false` for a text that it cannot read.
 *
 * At each place the longest format counts, the earlier one of two as long (PHP manual, "Supported Date and Time
 * Formats"); spaces, commas and points between formats are skipped.
 */
export const strtotime = (text: string, base: number): number | false => {
  const input = text.trim().toLowerCase()
  if (input === '' || input.length > MAX_LENGTH) return false
  const time = createReadTime()
  for (let at = 0; at < input.length; ) {
    let length = 0
    let apply: (() => boolean) | undefined
    for (const format of timeFormats) {
      format.pattern.lastIndex = at
      const match = format.pattern.exec(input)
      if (match === null || match[0].length <= length) continue
      length = match[0].length
      apply = () => format.apply(time, match) !== false
    }
    if (apply === undefined) {
      if (!/[\s.,]/.test(input[at] ?? '')) return false
      at++
      continue
    }
    if (!apply()) return false
    at += length
  }
  const seconds = Math.floor(resolveTime(time, base))
  return Number.isFinite(seconds) ? seconds : false
}

/** Abbreviations in hours east of UTC; the ones that APIs send. */
const abbreviations: Record<string, number> = {
  z: 0, utc: 0, gmt: 0, wet: 0, west: 1, bst: 1, cet: 1, cest: 2, eet: 2, eest: 3, msk: 3, ist: 2,
  est: -5, edt: -4, cst: -6, cdt: -5, mst: -7, mdt: -6, pst: -8, pdt: -7, akst: -9, akdt: -8, hst: -10,
  jst: 9, kst: 9, awst: 8, acst: 9.5, aest: 10, aedt: 11, nzst: 12, nzdt: 13,
} // biome-ignore format: a table

/**
 * Seconds east of UTC of `+02:00`, `+0200`, `+2`, `GMT+1`, `CEST`, or of `Europe/Prague` at a time there;
 * `undefined` for a name that is none.
 */
const timeZoneOffset = (text: string): ReadTime['zone'] => {
  const correction = /^(?:gmt|utc)?([+-])(\d{1,2}):?(\d{1,2})?$/.exec(text)
  if (correction !== null) {
    const [, sign, hours, minutes] = correction
    const seconds = Number(hours) * 3600 + Number(minutes ?? 0) * 60
    return sign === '-' ? -seconds : seconds
  }
  const name = text.replace(/[()]/g, '')
  const hours = Object.hasOwn(abbreviations, name) ? abbreviations[name] : undefined
  if (hours !== undefined) return hours * 3600
  return text.includes('/') ? regionOffset(text) : undefined
}

const regionOffset = (region: string): ReadTime['zone'] => {
  const offsetAt = (seconds: number): number => {
    const time = new Date(seconds * 1000)
    if (Number.isNaN(time.getTime())) return Number.NaN
    const parts = new Intl.DateTimeFormat('en', {
      timeZone: region,
      timeZoneName: 'longOffset',
    }).formatToParts(time)
    const offset = timeZoneOffset(parts.find(part => part.type === 'timeZoneName')?.value.toLowerCase() ?? '')
    return typeof offset === 'number' ? offset : 0
  }
  try {
    offsetAt(0)
  } catch (error) {
    if (error instanceof RangeError) return undefined // no such region
    throw error
  }
  return seconds => offsetAt(seconds - offsetAt(seconds))
}

const createReadTime = (): ReadTime => {
  const relative = { y: 0, m: 0, d: 0, h: 0, i: 0, s: 0 }
  return { hasDate: false, hasTime: false, relative, weekdayRule: 0 }
}

// Longer alternatives come first: a pattern is to take as much as it can.
const month = '(?<m>1[0-2]|0?\\d)'
const monthlz = '(?<m>0\\d|1[0-2])'
const day = '(?<d>3[01]|[0-2]?\\d)(?:st|nd|rd|th)?'
const daylz = '(?<d>0\\d|[12]\\d|3[01])'
const year = '(?<y>\\d{1,4})'
const year4 = '(?<y>\\d{4})'
const monthText =
  '(?<mon>january|february|march|april|may|june|july|august|september|october|november|december|sept|jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec)'
const monthAbbr = '(?<mon>jan|feb|mar|apr|may|jun|jul|aug|sept|sep|oct|nov|dec)'
const hour24 = '(?<h>2[0-4]|[01]?\\d)'
const hour24lz = '(?<h>[01]\\d|2[0-4])'
const hour12 = '(?<h>1[0-2]|0?[1-9])'
const minute = '(?<i>[0-5]?\\d)'
const minutelz = '(?<i>[0-5]\\d)'
const second = '(?<s>60|[0-5]?\\d)'
const secondlz = '(?<s>60|[0-5]\\d)'
const meridian = '(?<ap>[ap])\\.?m\\.?(?![^\\s])'
const gap = '[ \\t.-]*'

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** Sets what the named groups of a pattern hold: y, m or mon, d, h, i, s, ap. */
const setFields = (time: ReadTime, match: RegExpExecArray): boolean => {
  const g = match.groups ?? {}
  const hasDate =
    g['y'] !== undefined || g['m'] !== undefined || g['mon'] !== undefined || g['d'] !== undefined
  if ((hasDate && time.hasDate) || (g['h'] !== undefined && time.hasTime)) return false // said twice
  if (hasDate) {
    time.hasDate = true
    time.y = g['y'] === undefined ? undefined : fullYear(g['y'])
    time.m = g['mon'] === undefined ? numberOf(g['m']) : months.indexOf(g['mon'].slice(0, 3)) + 1
    time.d = numberOf(g['d'])
  }
  if (g['h'] !== undefined) {
    time.hasTime = true
    time.h = Number(g['h'])
    if (g['ap'] !== undefined) time.h = (time.h % 12) + (g['ap'] === 'p' ? 12 : 0)
    time.i = Number(g['i'] ?? 0)
    time.s = Number(g['s'] ?? 0)
  }
  return true
}

const numberOf = (digits: string | undefined): number | undefined =>
  digits === undefined ? undefined : Number(digits)

/** Two digits: 70 to 99 are of the last century. */
const fullYear = (digits: string): number => {
  const value = Number(digits)
  if (digits.length >= 4 || value >= 100) return value
  return value < 70 ? value + 2000 : value + 1900
}

const fields = (...patterns: string[]): TimeFormat[] =>
  patterns.map(pattern => ({ pattern: new RegExp(pattern, 'y'), apply: setFields }))

/** A pattern without the day means its first day. */
const firstOfMonth = (pattern: string): TimeFormat =>
  format(pattern, (time, match) => {
    if (!setFields(time, match)) return false
    time.d = 1
    return true
  })

/** Four digits are a time first, and a year when a time was said already. */
const timeOrYear = (time: ReadTime, match: RegExpExecArray): boolean => {
  if (time.hasTime) {
    time.y = Number(match[0].slice(-4))
    return true
  }
  return setFields(time, match)
}

const isoWeek = `${year4}-?w(?<w>0[1-9]|[1-4]\\d|5[0-3])(?:-?(?<wd>[0-7]))?`

/** Monday of week 1 holds 4 January; the day of the week counts from there. */
const setIsoWeek = (time: ReadTime, match: RegExpExecArray): boolean => {
  const g = match.groups ?? {}
  if (time.hasDate) return false
  time.hasDate = true
  time.y = Number(g['y'])
  time.m = 1
  time.d = 1
  const newYear = new Date(Date.UTC(time.y, 0, 1)).getUTCDay()
  time.relative.d = (newYear > 4 ? 7 : 0) - newYear + (Number(g['w']) - 1) * 7 + Number(g['wd'] ?? 1)
  return true
}

const setZone = (time: ReadTime, match: RegExpExecArray): boolean => {
  const zone = timeZoneOffset(match[0])
  if (zone === undefined || time.zone !== undefined) return false
  time.zone = zone
  return true
}

const setTimestamp = (time: ReadTime, match: RegExpExecArray): boolean => {
  Object.assign(time, { y: 1970, m: 1, d: 1, h: 0, i: 0, s: 0, hasDate: true, hasTime: true, zone: 0 })
  time.relative.s += Number(match[0].slice(1))
  return true
}

/** In the order that counts between two of the same length. */
const timeFormats: readonly TimeFormat[] = [
  ...relativeFormats,
  format('@-?\\d+(?:\\.\\d+)?', setTimestamp),
  ...fields(
    `${hour12}(?:[:.]${minutelz}(?:[:.]${secondlz})?)?[ \\t]*${meridian}`,
    `${hour12}:${minutelz}:${secondlz}[:.]\\d+${meridian}`,
    `t?${hour24}[:.]${minute}(?:[:.]${second}(?:\\.\\d+)?)?`,
  ),
  format(`t?${hour24lz}${minutelz}`, timeOrYear),
  ...fields(
    `t?${hour24lz}${minutelz}${secondlz}`,
    `${month}/${day}(?:/${year})?`,
    `${year4}/${month}/${day}/?`,
    `[+-]?${year4}-${monthlz}-${daylz}`,
    `(?<y>\\d{2})-${monthlz}-${daylz}`,
  ),
  firstOfMonth(`${year4}-${month}`),
  ...fields(
    `${year}-${month}-${day}`,
    `${day}${gap}${monthText}${gap}${year}`,
    `${day}[.\\t-]${month}[.-]${year4}`,
    `${day}[.\\t]${month}\\.(?<y>\\d{2})`,
  ),
  firstOfMonth(`${monthText}${gap}${year4}`),
  firstOfMonth(`${year4}${gap}${monthText}`),
  ...fields(
    `${monthText}${gap}${day}[,.stndrh\\t ]+${year}`,
    `${monthText}${gap}${day}[,.stndrh\\t ]*`,
    `${day}${gap}${monthText}`,
    `${year4}${monthlz}${daylz}`,
    `${year4}-?${monthlz}-?${daylz}t${hour24lz}:?${minutelz}:?${secondlz}(?:\\.\\d+)?`,
    `${year4}${monthlz}${daylz}${hour24lz}${minutelz}${secondlz}`,
    `${year4}-${month}-${day}t${hour24}:${minute}:${second}`,
    `${year4}:${monthlz}:${daylz} ${hour24lz}:${minutelz}:${secondlz}`,
    `${monthAbbr}-${daylz}-${year}`,
    `${year}-${monthAbbr}-${daylz}`,
    `${day}/${monthAbbr}/${year4}:${hour24lz}:${minutelz}:${secondlz}`,
    `${monthText}${gap}${day}[,.stndrh\\t ]*${hour12}[:.]${minutelz}(?:[:.]${secondlz})?[ \\t]*${meridian}`,
    `${monthText}${gap}${day}[,.stndrh\\t ]*t?${hour24}[:.]${minute}(?:[:.]${second})?`,
  ),
  format(`${year4}\\.?(?<doy>00[1-9]|0[1-9]\\d|[12]\\d\\d|3[0-5]\\d|36[0-6])`, (time, match) => {
    if (time.hasDate) return false
    Object.assign(time, {
      hasDate: true,
      y: Number(match.groups?.['y']),
      m: 1,
      d: Number(match.groups?.['doy']),
    })
    return true
  }),
  format(isoWeek, setIsoWeek),
  format('\\d{4}', (time, match) => {
    time.y = Number(match[0])
    return true
  }),
  ...fields(monthText),
  format('(?:gmt|utc)?[+-](?:2[0-4]|[01]?\\d):?(?:[0-5]?\\d)?', setZone),
  format('[a-z]+(?:[_/-][a-z]+)+|\\(?[a-z]{1,6}\\)?', setZone),
]
