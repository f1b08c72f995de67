const numbers = new Intl.NumberFormat('en')
const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

export const count = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : numbers.format(value)

/** `1.5 MB`; powers of 1000. */
export const bytes = (value: number | null | undefined): string => {
  if (value === null || value === undefined) return '–'
  const power = Math.min(units.length - 1, value < 1 ? 0 : Math.floor(Math.log10(value) / 3))
  const scaled = value / 1000 ** power
  return `${power === 0 ? scaled : scaled.toFixed(1)} ${units[power]}`
}

/** Seconds between two times of the API; empty while one is missing. */
export const duration = (from: string | null, to: string | null): string => {
  const seconds = (Date.parse(to ?? '') - Date.parse(from ?? '')) / 1000
  return Number.isNaN(seconds) ? '' : `${Math.max(0, seconds)} s`
}

/** JSON as people read it; empty for nothing. */
export const readable = (value: unknown): string =>
  value === undefined || value === null ? '' : JSON.stringify(value, undefined, 2)
