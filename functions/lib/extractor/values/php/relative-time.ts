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
