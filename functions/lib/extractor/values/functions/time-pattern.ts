/** What a text says of a moment. Without a zone it is UTC. */
export interface TimeParts {
  year: number
  month: number
  day: number
  hour: number
  minute: number
  second: number
  /** Digits after the point of the seconds. */
  fraction: string
  /** Minutes before UTC; of `+02:00` 120. */
  zone: number
  /** Afternoon, of a clock of twelve hours. */
  isPm: boolean | undefined
}

/** Reads a text of one form; `undefined` for another. */
export type ReadTime = (text: string) => TimeParts | undefined

interface Letter {
  pattern: string
  read(parts: TimeParts, text: string): void
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

const number = (pattern: string, field: 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'): Letter => ({
  pattern,
  read: (parts, text) => {
    parts[field] = Number(text)
  },
})

const month = (pattern: string): Letter => ({
  pattern,
  read: (parts, text) => {
    parts.month = MONTHS.indexOf(text.slice(0, 3).toLowerCase()) + 1
  },
})

const fraction = (pattern: string): Letter => ({
  pattern,
  read: (parts, text) => {
    parts.fraction = text
  },
})

const zone: Letter = {
  pattern: 'Z|z|[+-]\\d{2}(?::?\\d{2})?',
  read: (parts, text) => {
    const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(text) ?? []
    parts.zone = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  },
}

const halfOfDay: Letter = {
  pattern: '[AaPp][Mm]',
  read: (parts, text) => {
    parts.isPm = text.toLowerCase() === 'pm'
  },
}

/** Seconds since 1970; the other parts follow from them. */
const unixTime: Letter = {
  pattern: '-?\\d{1,12}',
  read: (parts, text) => {
    const at = new Date(Number(text) * 1000)
    parts.year = at.getUTCFullYear()
    parts.month = at.getUTCMonth() + 1
    parts.day = at.getUTCDate()
    parts.hour = at.getUTCHours()
    parts.minute = at.getUTCMinutes()
    parts.second = at.getUTCSeconds()
  },
}

/** The letters of `date` that a text can be read by (PHP manual, "DateTimeImmutable::createFromFormat"). */
const letters = new Map<string, Letter>([
  ['d', number('\\d{2}', 'day')],
  ['j', number('\\d{1,2}', 'day')],
  ['m', number('\\d{2}', 'month')],
  ['n', number('\\d{1,2}', 'month')],
  ['M', month(MONTHS.join('|'))],
  ['F', month('january|february|march|april|may|june|july|august|september|october|november|december')],
  ['Y', number('\\d{4}', 'year')],
  [
    'y',
    {
      pattern: '\\d{2}',
      read: (parts, text) => {
        parts.year = Number(text) + (Number(text) < 70 ? 2000 : 1900)
      },
    },
  ],
  ['H', number('\\d{2}', 'hour')],
  ['G', number('\\d{1,2}', 'hour')],
  ['h', number('\\d{2}', 'hour')],
  ['g', number('\\d{1,2}', 'hour')],
  ['A', halfOfDay],
  ['a', halfOfDay],
  ['i', number('\\d{2}', 'minute')],
  ['s', number('\\d{2}', 'second')],
  ['u', fraction('\\d{1,9}')],
  ['v', fraction('\\d{3}')],
  ['O', zone],
  ['P', zone],
  ['p', zone],
  ['U', unixTime],
])

const blank = (): TimeParts => ({
  year: 1970,
  month: 1,
  day: 1,
  hour: 0,
  minute: 0,
  second: 0,
  fraction: '',
  zone: 0,
  isPm: undefined,
})

/**
 * Reads texts of one format: letters of `date`, `\` makes the next one literal, everything else stands for itself.
 * `undefined` for a format without any letter.
 *
 * `Uv` are milliseconds since 1970.
 */
export const timePattern = (format: string): ReadTime | undefined => {
  const used: Letter[] = []
  const pattern = format.replace(/\\(.)|./gsu, (character, literal: string | undefined) => {
    const letter = literal === undefined ? letters.get(character) : undefined
    if (letter === undefined) return escaped(literal ?? character)
    used.push(letter)
    return `(${letter.pattern})`
  })
  if (used.length === 0) return undefined
  const whole = new RegExp(`^${pattern}$`, 'iu')
  return text => {
    const match = whole.exec(text)
    if (match === null) return undefined
    const parts = blank()
    for (const [index, letter] of used.entries()) letter.read(parts, match[index + 1] ?? '')
    return parts
  }
}

const escaped = (text: string): string => text.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&')

const iso =
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?:[Tt ](?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d{1,9}))?)?\s?(?<zone>Z|z|[+-]\d{2}(?::?\d{2})?)?)?$/

/** A date or a time of ISO 8601 in its extended form, also with a blank in place of the `T`. */
export const readIsoTime: ReadTime = text => {
  const groups = iso.exec(text)?.groups
  if (groups === undefined) return undefined
  const { year, month, day, hour = 0, minute = 0, second = 0, fraction = '' } = groups
  const parts: TimeParts = {
    ...blank(),
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second),
    fraction,
  }
  if (groups['zone'] !== undefined) zone.read(parts, groups['zone'])
  return parts
}
