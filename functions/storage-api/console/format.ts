const numbers = new Intl.NumberFormat('en')
const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

export const count = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : numbers.format(value)

/** `1 row`, `5,000 rows`; other plurals are given. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

/** `1.5 MB`; powers of 1000. */
export const bytes = (value: number | null | undefined): string => {
  if (value === null || value === undefined) return '–'
  const power = Math.min(units.length - 1, value < 1 ? 0 : Math.floor(Math.log10(value) / 3))
  const scaled = value / 1000 ** power
  return `${power === 0 ? scaled : scaled.toFixed(1)} ${units[power]}`
}

/** `0.4 s`, `63 s` as `1 min 3 s`, `2 h 5 min`. */
export const spent = (seconds: number): string => {
  if (seconds < 10) return `${Math.round(seconds * 10) / 10} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const [large, small, names] =
    whole < 3600
      ? [Math.floor(whole / 60), whole % 60, ['min', 's']]
      : [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), ['h', 'min']]
  return small === 0 ? `${large} ${names[0]}` : `${large} ${names[0]} ${small} ${names[1]}`
}

/** Between two times of the API; empty while one is missing. */
export const duration = (from: string | null, to: string | null): string => {
  const seconds = (Date.parse(to ?? '') - Date.parse(from ?? '')) / 1000
  return Number.isNaN(seconds) ? '' : spent(Math.max(0, seconds))
}

const steps = [
  [45, 1, 's'],
  [45 * 60, 60, 'min'],
  [22 * 3600, 3600, 'h'],
  [7 * 86_400, 86_400, 'days'],
] as const

/** `just now`, `3 min ago`, `in 2 h`; a date beyond a week. */
export const ago = (time: number, now: number): string => {
  const seconds = (now - time) / 1000
  const distance = Math.abs(seconds)
  if (distance < 5) return 'just now'
  const [, unit, name] = steps.find(([most]) => distance < most) ?? []
  if (unit === undefined) {
    const isThisYear = new Date(time).getFullYear() === new Date(now).getFullYear()
    return new Intl.DateTimeFormat('en-GB', {
      day: 'numeric',
      month: 'short',
      ...(!isThisYear && { year: 'numeric' }),
    }).format(time)
  }
  const amount = Math.max(1, Math.round(distance / unit))
  const text = `${amount} ${name === 'days' && amount === 1 ? 'day' : name}`
  return seconds < 0 ? `in ${text}` : `${text} ago`
}

/** `24 Nov 2026, 18:20:05 CET`: to the second, with its zone. Default of the zone: that of this machine. */
export const exactTime = (time: number, timeZone?: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long', timeZone }).format(time)

/** JSON as people read it; empty for nothing. */
export const readable = (value: unknown): string =>
  value === undefined || value === null ? '' : JSON.stringify(value, undefined, 2)
