import { isObject } from '../../functions/lib/json/json-value.ts'

/** `2026-03-01 12:00:05` in UTC, from a time of the API or ISO 8601. */
export const formatTime = (time: string | null | undefined): string => {
  if (time === null || time === undefined) return ''
  const date = new Date(time.replace(/\+0000$/, 'Z'))
  return Number.isNaN(date.getTime()) ? time : date.toISOString().slice(0, 19).replace('T', ' ')
}

/** Seconds between two times of the API, or nothing while the second is not known. */
export const secondsBetween = (from?: string | null, to?: string | null): number | null => {
  if (!from || !to) return null
  return (Date.parse(to.replace('+0000', 'Z')) - Date.parse(from.replace('+0000', 'Z'))) / 1000
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

/** `1.5 GB`: powers of 1,000, three digits. */
export const formatBytes = (bytes: number): string => {
  const power = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${UNITS[power]}`
}

/** The field of a thing at a path such as `failure.message`. */
export const fieldAt = (of: unknown, path: string): unknown =>
  path.split('.').reduce((value, name) => (isObject(value) ? value[name] : undefined), of)

/** A number that names something: no amount. */
export const idAt = (path: string) => (of: unknown) => String(fieldAt(of, path) ?? '')
export const timeAt = (path: string) => (of: unknown) =>
  formatTime(fieldAt(of, path) as string | null | undefined) // a time of the API
export const bytesAt = (path: string) => (of: unknown) => formatBytes(Number(fieldAt(of, path) ?? 0))
