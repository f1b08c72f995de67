import type { ReadTime } from './relative-time.ts'

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
