import { firstHeader, type ResponseHeaders } from '../answers/http-response.ts'

interface RateLimit {
  /** Requests that it still takes before it opens again. */
  left: number
  /** Seconds until it opens again. */
  seconds: number
}

const remainingNames = ['ratelimit-remaining', 'x-ratelimit-remaining', 'x-rate-limit-remaining']
const resetNames = ['ratelimit-reset', 'x-ratelimit-reset', 'x-rate-limit-reset']

/**
 * The limit of which the fewest requests are left; `undefined` when the server says nothing, or not until when.
 *
 * Reads `RateLimit-Remaining`/`-Reset`, their `X-` forms, and `RateLimit` in its older form (`remaining=0, reset=4`) and its newer one,
 * which may name several (`"burst";r=0;t=8, "daily";r=900`); what that leaves out is the window of `RateLimit-Policy`. A reset
 * is a number of seconds, a Unix time (also in milliseconds) or a date.
 *
 * @param now seconds since 1970
 */
export const readRateLimit = (headers: ResponseHeaders, now: number): RateLimit | undefined => {
  const windows = windowsOf(headers)
  const remaining = firstOf(headers, remainingNames)
  const reset = firstOf(headers, resetNames)
  const field = joined(headers, 'ratelimit')
  const isOlder = /\bremaining\s*=/.test(field)
  const items = isOlder || field === '' ? [] : field.split(',')
  const limits = [
    limitOf(remaining, toSeconds(reset, now) ?? shortest(windows)),
    limitOf(
      parameter(field, /\bremaining\s*=\s*(\d+)/),
      toSeconds(parameter(field, /\breset\s*=\s*(\d+)/), now),
    ),
    ...items.map(item =>
      limitOf(
        parameter(item, /;\s*r\s*=\s*(\d+)/),
        toSeconds(parameter(item, /;\s*t\s*=\s*(\d+)/), now) ?? windows.get(nameOf(item)),
      ),
    ),
  ]
  return limits
    .filter(limit => limit !== undefined)
    .sort((a, b) => a.left - b.left || b.seconds - a.seconds)[0]
}

/** Seconds until the server's limit opens again, or `undefined` when it says nothing or has requests left. */
export const rateLimitResetSeconds = (headers: ResponseHeaders, now: number): number | undefined => {
  const limit = readRateLimit(headers, now)
  return limit === undefined || limit.left > 0 ? undefined : limit.seconds
}

const limitOf = (left: string | undefined, seconds: number | undefined): RateLimit | undefined => {
  const number = left === undefined || left.trim() === '' ? Number.NaN : Number(left)
  return Number.isNaN(number) || seconds === undefined ? undefined : { left: Math.max(0, number), seconds }
}

/** Seconds of each window by the name of its policy. */
const windowsOf = (headers: ResponseHeaders): Map<string, number> =>
  new Map(
    joined(headers, 'ratelimit-policy')
      .split(',')
      .flatMap(item => {
        const seconds = parameter(item, /;\s*w\s*=\s*(\d+)/)
        return seconds === undefined ? [] : [[nameOf(item), Number(seconds)] as const]
      }),
  )

/** Which of several windows a limit without a name has is not known: after the shortest the server says more. */
const shortest = (windows: ReadonlyMap<string, number>): number | undefined =>
  windows.size === 0 ? undefined : Math.min(...windows.values())

const nameOf = (item: string): string => (item.split(';')[0] ?? '').trim()

const firstOf = (headers: ResponseHeaders, names: readonly string[]): string | undefined =>
  names.map(name => firstHeader(headers, name)).find(value => value !== undefined)

const joined = (headers: ResponseHeaders, name: string): string =>
  [headers[name] ?? []].flat().join(',').slice(0, MAX_FIELD_LENGTH)

/** No server names more policies than fit. */
const MAX_FIELD_LENGTH = 2_000

const parameter = (field: string, pattern: RegExp): string | undefined => pattern.exec(field)?.[1]

const toSeconds = (value: string | undefined, now: number): number | undefined => {
  if (value === undefined || value.trim() === '') return undefined
  const number = Number(value)
  if (Number.isNaN(number)) {
    const date = Date.parse(value)
    return Number.isNaN(date) ? undefined : Math.max(0, date / 1000 - now)
  }
  if (number > 1e11) return Math.max(0, number / 1000 - now) // milliseconds since 1970
  if (number > 1e8) return Math.max(0, number - now) // seconds since 1970
  return Math.max(0, number)
}
