/** One way to write a part of a date or time. `apply` gives false when the text as a whole makes no sense. */
export interface TimeFormat {
  pattern: RegExp
  apply(time: ReadTime, match: RegExpExecArray): boolean | undefined
}

/** A format whose pattern is looked for where the reading has come to. */
export const format = (pattern: string, apply: TimeFormat['apply']): TimeFormat => ({
  pattern: new RegExp(pattern, 'y'),
  apply,
})

const ordinals = 'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'.split(
  ' ',
)
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

const ordinal = `${ordinals.join('|')}|eight`
const word = 'next|last|previous|this'
const weekday = '(?:sun|mon|tues|wednes|thurs|fri|satur)day|sun|mon|tue|wed|thu|fri|sat'
const unit = `(?:millisecond|msec|ms|microsecond|usec|second|sec|minute|min|hour|day|fortnight|forthnight|month|year)s?|weeks|weekdays?|${weekday}`

const unitDays: Record<string, number> = { day: 1, week: 7, fortnight: 14, forthnight: 14 }
const unitFields: Record<string, 'y' | 'm' | 'h' | 'i' | 's'> = {
  year: 'y',
  month: 'm',
  hour: 'h',
  minute: 'i',
  min: 'i',
  second: 's',
  sec: 's',
}

const clearTime = (time: ReadTime): void => {
  Object.assign(time, { hasTime: false, h: 0, i: 0, s: 0 })
}

/** `this` and plain numbers count today when the day of the week is today's, `next` and `last` do not. */
const addUnits = (time: ReadTime, amount: number, name: string, rule: 0 | 1): void => {
  const day = weekdays.findIndex(full => full === name || full.slice(0, 3) === name)
  const single = name.replace(/s$/, '')
  const field = unitFields[single]
  if (day !== -1) {
    clearTime(time)
    time.relative.d += (amount > 0 ? amount - 1 : amount) * 7
    time.weekday = day
    time.weekdayRule = rule
  } else if (single === 'weekday') {
    clearTime(time)
    time.workdays = amount
  } else if (field !== undefined) time.relative[field] += amount
  else time.relative.d += amount * (unitDays[single] ?? 0) // below a second nothing changes
}

const amountOf = (text: string): number => {
  if (text === 'next') return 1
  if (text === 'this') return 0
  if (text === 'last' || text === 'previous') return -1
  return text === 'eight' ? 8 : ordinals.indexOf(text) + 1
}

/** Texts that mean a time seen from another one. */
export const relativeFormats: readonly TimeFormat[] = [
  format('yesterday|tomorrow', (time, [text]) => {
    clearTime(time)
    time.relative.d = text === 'yesterday' ? -1 : 1
    return true
  }),
  format('now', () => true),
  format('noon', time => {
    clearTime(time)
    Object.assign(time, { hasTime: true, h: 12 })
    return true
  }),
  format('midnight|today', time => {
    clearTime(time)
    return true
  }),
  format('(first|last) day of', (time, match) => {
    time.edge = match[1] === 'first' ? 'first' : 'last'
    return true
  }),
  format('(back|front) of (\\d{1,2})[ \\t]*(?:([ap])\\.?m\\.?)?', (time, match) => {
    const hour = Number(match[2])
    const of12 = match[3] === undefined ? hour : (hour % 12) + (match[3] === 'p' ? 12 : 0)
    const isBack = match[1] === 'back'
    Object.assign(time, { hasTime: true, h: isBack ? of12 : of12 - 1, i: isBack ? 15 : 45, s: 0 })
    return hour <= 24
  }),
  format(`(${ordinal}|${word})[ \\t]+(${weekday})[ \\t]+of`, (time, match) => {
    const amount = amountOf(match[1] ?? '')
    time.weekdayOf = amount > 0 ? 'first' : 'last'
    addUnits(time, amount, match[2] ?? '', amount > 0 ? 1 : 0)
    return true
  }),
  format('ago', time => {
    for (const field of ['y', 'm', 'd', 'h', 'i', 's'] as const)
      time.relative[field] = 0 - time.relative[field]
    if (time.weekday !== undefined) time.weekday = -time.weekday || -7
    if (time.workdays !== undefined) time.workdays = -time.workdays
    return true
  }),
  format(`weekdays?`, time => {
    clearTime(time)
    return true
  }),
  format(weekday, (time, [text]) => {
    clearTime(time)
    time.weekday = weekdays.findIndex(full => full.slice(0, 3) === text.slice(0, 3))
    if (time.weekdayRule !== 2) time.weekdayRule = 1
    return true
  }),
  format(`(${word})[ \\t]+week(?!days?)`, (time, match) => {
    time.relative.d += amountOf(match[1] ?? '') * 7
    time.weekdayRule = 2
    time.weekday ??= 1 // without a day PHP means the Monday of that week
    return true
  }),
  format(`(${ordinal}|${word})[ \\t]+(${unit})`, (time, match) => {
    addUnits(time, amountOf(match[1] ?? ''), match[2] ?? '', match[1] === 'this' ? 1 : 0)
    return true
  }),
  format(`([+-]*)[ \\t]*(\\d+)[ \\t]*(${unit}|week)`, (time, match) => {
    const isNegative = (match[1]?.match(/-/g)?.length ?? 0) % 2 === 1
    addUnits(time, isNegative ? -Number(match[2]) : Number(match[2]), match[3] ?? '', 1)
    return true
  }),
]

/** A time while its text is read: fields that the text did not set come from the base time. */
export interface ReadTime {
  y?: number | undefined
  m?: number | undefined
  d?: number | undefined
  h?: number | undefined
  i?: number | undefined
  s?: number | undefined
  hasDate: boolean
  hasTime: boolean
  /** Seconds east of UTC; of a region by the seconds that its clocks show. */
  zone?: number | ((local: number) => number) | undefined
  relative: Record<'y' | 'm' | 'd' | 'h' | 'i' | 's', number>
  /** Day of the week to go to, Sunday 0; negative after `ago`. */
  weekday?: number | undefined
  /** 0: never today; 1: today counts; 2: of the week that starts on Monday. */
  weekdayRule: 0 | 1 | 2
  /** `first day of`, `last day of`. */
  edge?: 'first' | 'last' | undefined
  /** `first monday of`, `last friday of`. */
  weekdayOf?: 'first' | 'last' | undefined
  /** `+3 weekdays`: days from Monday to Friday. */
  workdays?: number | undefined
}

/**
 * The seconds since 1970 that a read text means, seen from `base`. The order of the steps is PHP's: the day of
 * the week is found before months are added, working days come last.
 */
export const resolveTime = (time: ReadTime, base: number): number => {
  const now = new Date(base * 1000)
  const onlyDate = time.hasDate && !time.hasTime
  let y = time.y ?? now.getUTCFullYear()
  let m = time.m ?? now.getUTCMonth() + 1
  let d = time.d ?? now.getUTCDate()
  const h = onlyDate ? 0 : (time.h ?? now.getUTCHours())
  const i = onlyDate ? 0 : (time.i ?? now.getUTCMinutes())
  const s = onlyDate ? 0 : (time.s ?? now.getUTCSeconds())
  const relative = { ...time.relative }
  if (time.weekdayOf !== undefined) {
    d = 1
    m += relative.m + (time.weekdayOf === 'last' ? 1 : 0)
    relative.m = 0
  }
  if (time.weekday !== undefined) d += daysToWeekday(time, time.weekday, dayOfWeek(y, m, d))
  ;({ y, m, d } = normalize(y, m, d))
  y += relative.y
  m += relative.m
  d += relative.d
  if (time.edge === 'first') d = 1
  if (time.edge === 'last') {
    d = 0
    m++
  }
  const local = utc(y, m, d) / 1000 + (h + relative.h) * 3600 + (i + relative.i) * 60 + s + relative.s
  const { zone = 0 } = time
  const seconds = local - (typeof zone === 'number' ? zone : zone(local))
  return time.workdays === undefined ? seconds : addWorkdays(seconds, time.workdays)
}

const daysToWeekday = (time: ReadTime, weekday: number, today: number): number => {
  if (time.weekdayRule === 2) {
    // Weeks start on Monday here, so Sunday is the last day of the week that `this week` means.
    const from = today === 0 && weekday !== 0 ? 7 : today
    return (weekday === 0 && today !== 0 ? 7 : weekday) - from
  }
  if (weekday < 0) return -(7 - (Math.abs(weekday) - today))
  const difference = weekday - today
  const goesBack = time.relative.d < 0 && difference < 0
  const isPassed = time.relative.d >= 0 && difference <= -time.weekdayRule
  return goesBack || isPassed ? difference + 7 : difference
}

/** Five working days are a week, whatever day it is, once the first step has left the weekend. */
const addWorkdays = (seconds: number, count: number): number => {
  const step = count < 0 ? -86_400 : 86_400
  const steps = Math.abs(count)
  if (steps === 0) return seconds
  const single = steps % 5 || 5
  let at = seconds
  for (let left = single; left > 0; ) {
    at += step
    const day = new Date(at * 1000).getUTCDay()
    if (day !== 0 && day !== 6) left--
  }
  return at + ((steps - single) / 5) * 7 * step
}

const normalize = (y: number, m: number, d: number): { y: number; m: number; d: number } => {
  const date = new Date(utc(y, m, d))
  return { y: date.getUTCFullYear(), m: date.getUTCMonth() + 1, d: date.getUTCDate() }
}

const dayOfWeek = (y: number, m: number, d: number): number => new Date(utc(y, m, d)).getUTCDay()

/** Years below 100 stay as they are, which `Date.UTC` would not leave. */
const utc = (y: number, m: number, d: number): number => new Date(0).setUTCFullYear(y, m - 1, d)
