import { backoff } from '#lib/pause-randomly.ts'
import type { Api } from '../../config/api-schema.ts'
import { firstHeader, type ResponseHeaders } from '../answers/http-response.ts'
import { rateLimitResetSeconds } from './rate-limit.ts'

interface RetryTiming {
  /** Retries done so far: 0 before the first. */
  retries: number
  headers: ResponseHeaders | undefined
  retryHeader: string
  now: number
  /** 0 up to 1. */
  random: number
}

/**
 * Seconds to wait before the next try: what the server asks for (the retry header, else the reset of its rate limit),
 * else 1, 2, 4 ... 512 seconds, the last half of it random, so that clients do not all retry at once.
 */
export const retryDelaySeconds = ({ retries, headers, retryHeader, now, random }: RetryTiming): number => {
  const asked = headers === undefined ? undefined : askedSeconds(headers, retryHeader, now)
  if (asked !== undefined && asked > 0) return asked + random / 10
  return backoff(retries, { first: 1, longest: 512 }) * (0.5 + random / 2)
}

const askedSeconds = (headers: ResponseHeaders, retryHeader: string, now: number): number | undefined => {
  const value = firstHeader(headers, retryHeader)
  const fromHeader = value === undefined ? undefined : parseRetryHeader(value, now)
  return fromHeader !== undefined && fromHeader > 0 ? fromHeader : rateLimitResetSeconds(headers, now)
}

/** Seconds, a Unix time when it is large, or an HTTP date (RFC 9110, 10.2.3). */
export const parseRetryHeader = (value: string, now: number): number | undefined => {
  const text = value.trim()
  if (/^\d+(\.\d+)?$/.test(text)) {
    const number = Number(text)
    return number < now - 86_400 ? number : number - now
  }
  if (!/[a-z]{3}/i.test(text)) return undefined
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : date / 1000 - now
}

/** What is retried, how often and how long (docs/reference/extractor-requests.md#retries-and-errors). */
export interface RetrySettings {
  maxRetries: number
  retryHeader: string
  statuses: ReadonlySet<number>
  /** Network failures by curl's numbers, which is how configurations name them. */
  curlCodes: ReadonlySet<number>
  /** All waiting for one request together may take this long. */
  maxTotalSeconds: number
}

const defaultStatuses = [500, 502, 503, 504, 408, 420, 429]
// 28 time-out, 6 DNS, 7 connect, 35 TLS connect, 52 empty reply, 56 receive; 18 (cut short) is ours
const defaultCurlCodes = [28, 6, 7, 35, 52, 56, 18]

export const retrySettings = (config: Api['retryConfig']): RetrySettings => ({
  maxRetries: config?.maxRetries ?? 10,
  retryHeader: config?.http?.retryHeader ?? config?.headerName ?? 'Retry-After',
  statuses: new Set(config?.http?.codes ?? config?.httpCodes ?? defaultStatuses),
  curlCodes: new Set(config?.curl?.codes ?? config?.curlCodes ?? defaultCurlCodes),
  maxTotalSeconds: config?.maxTotalSeconds ?? 3600,
})
