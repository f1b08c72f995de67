const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)
const DAY_MS = 86_400_000

/**
 * PHP's `date`: `seconds` since 1970 in UTC, by a format of single letters; `\` makes the next one literal.
 * Letters without a meaning stand for themselves.
 */
export const date = (format: string, seconds: number): string => {
  const time = new Date(seconds * 1000)
  return format.replace(/\\(.?)|./gsu, (letter, literal: string | undefined) =>
    literal === undefined ? (formats[letter]?.(time) ?? letter) : literal,
  )
}

const two = (n: number): string => String(n).padStart(2, '0')
const hour12 = (t: Date): number => t.getUTCHours() % 12 || 12
const dayOfYear = (t: Date): number => Math.floor((t.getTime() - Date.UTC(t.getUTCFullYear(), 0)) / DAY_MS)
const isLeapYear = (year: number): boolean => new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1
const name = (names: readonly string[], index: number): string => names[index] ?? ''
const year4 = (year: number): string => (year < 0 ? '-' : '') + String(Math.abs(year)).padStart(4, '0')

/** The Thursday of a week decides which year it belongs to (ISO 8601). */
const isoWeek = (t: Date): { year: number; week: number } => {
  const thursday = new Date(t.getTime() + (4 - (t.getUTCDay() || 7)) * DAY_MS)
  return { year: thursday.getUTCFullYear(), week: 1 + Math.floor(dayOfYear(thursday) / 7) }
}

const ordinalSuffix = (day: number): string => {
  if (day >= 11 && day <= 13) return 'th'
  return ['th', 'st', 'nd', 'rd'][day % 10] ?? 'th'
}

/** Swatch beats: thousandths of a day from midnight in UTC+1. */
const beats = (t: Date): string => {
  const seconds = (Math.floor(t.getTime() / 1000) + 3600) % 86_400
  return String(Math.floor((seconds + 86_400) / 86.4) % 1000).padStart(3, '0')
}

const formats: Record<string, (t: Date) => string> = {
  d: t => two(t.getUTCDate()),
  D: t => name(DAYS, t.getUTCDay()).slice(0, 3),
  j: t => `${t.getUTCDate()}`,
  l: t => name(DAYS, t.getUTCDay()),
  N: t => `${t.getUTCDay() || 7}`,
  S: t => ordinalSuffix(t.getUTCDate()),
  w: t => `${t.getUTCDay()}`,
  z: t => `${dayOfYear(t)}`,
  W: t => two(isoWeek(t).week),
  F: t => name(MONTHS, t.getUTCMonth()),
  m: t => two(t.getUTCMonth() + 1),
  M: t => name(MONTHS, t.getUTCMonth()).slice(0, 3),
  n: t => `${t.getUTCMonth() + 1}`,
  t: t => `${new Date(Date.UTC(t.getUTCFullYear(), t.getUTCMonth() + 1, 0)).getUTCDate()}`,
  L: t => (isLeapYear(t.getUTCFullYear()) ? '1' : '0'),
  o: t => `${isoWeek(t).year}`,
  Y: t => year4(t.getUTCFullYear()),
  y: t => two(t.getUTCFullYear() % 100),
  a: t => (t.getUTCHours() < 12 ? 'am' : 'pm'),
  A: t => (t.getUTCHours() < 12 ? 'AM' : 'PM'),
  B: beats,
  g: t => `${hour12(t)}`,
  G: t => `${t.getUTCHours()}`,
  h: t => two(hour12(t)),
  H: t => two(t.getUTCHours()),
  i: t => two(t.getUTCMinutes()),
  s: t => two(t.getUTCSeconds()),
  u: () => '000000',
  v: () => '000',
  e: () => 'UTC',
  I: () => '0',
  O: () => '+0000',
  P: () => '+00:00',
  p: () => 'Z',
  T: () => 'UTC',
  Z: () => '0',
  c: t => date('Y-m-d\\TH:i:sP', t.getTime() / 1000),
  r: t => date('D, d M Y H:i:s O', t.getTime() / 1000),
  U: t => `${Math.floor(t.getTime() / 1000)}`,
}
