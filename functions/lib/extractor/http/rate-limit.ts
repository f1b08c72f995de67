import { firstHeader, type ResponseHeaders } from './http-response.ts'

const remainingNames = ['ratelimit-remaining', 'x-ratelimit-remaining', 'x-rate-limit-remaining']
const resetNames = ['ratelimit-reset', 'x-ratelimit-reset', 'x-rate-limit-reset']

/**
 * Seconds until the server's rate limit opens again, or `undefined` when it says nothing or has requests left.
 *
 * Reads `RateLimit-Remaining`/`-Reset`, their `X-` forms and the combined `RateLimit` field. A reset is a number of
 * seconds, a Unix time (also in milliseconds) or a date.
 */
export const rateLimitResetSeconds = (headers: ResponseHeaders, now: number): number | undefined => {
  const combined = firstHeader(headers, 'ratelimit')
  const remaining = remainingNames.map(name => firstHeader(headers, name)).find(value => value !== undefined)
  const left = remaining ?? parameter(combined, /(?:\br|remaining)\s*=\s*(\d+)/)
  if (left === undefined || Number(left) > 0 || left.trim() === '') return undefined
  const reset = resetNames.map(name => firstHeader(headers, name)).find(value => value !== undefined)
  return toSeconds(reset ?? parameter(combined, /(?:\bt|reset)\s*=\s*(\d+)/), now)
}

const parameter = (field: string | undefined, pattern: RegExp): string | undefined =>
  field === undefined ? undefined : pattern.exec(field)?.[1]

const toSeconds = (value: string | undefined, now: number): number | undefined => {
  if (value === undefined) return undefined
  const number = Number(value)
  if (Number.isNaN(number)) {
    const date = Date.parse(value)
    return Number.isNaN(date) ? undefined : Math.max(0, date / 1000 - now)
  }
  if (number > 1e11) return Math.max(0, number / 1000 - now) // milliseconds since 1970
  if (number > 1e8) return Math.max(0, number - now) // seconds since 1970
  return number
}
