import { isContainer, type Json } from '#lib/json/json-value.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import { backoff } from '#lib/pause-randomly.ts'
import type { Api } from '../../config/api-schema.ts'
import {
  type Comparison,
  type ErrorRule,
  isStatusClass,
  type ResponseTest,
} from '../../config/response-schema.ts'
import { toText } from '../../values/php/php-values.ts'
import { valueAt } from '../../values/select/json-path.ts'
import { firstHeader, type HttpResponse, type ResponseHeaders } from '../answers/http-response.ts'
import { rateLimitResetSeconds } from './rate-limit.ts'

interface RetryTiming {
  /** Retries done so far: 0 before the first. */
  retries: number
  headers: ResponseHeaders | undefined
  retryHeader: string
  now: number
  /** 0 up to 1; for tests. */
  random?: number
}

/**
 * Seconds to wait before the next try: what the server asks for (the retry header, else the reset of its rate limit),
 * else 1, 2, 4 ... 512 seconds, the last half of it random, so that clients do not all retry at once.
 */
export const retryDelaySeconds = ({
  retries,
  headers,
  retryHeader,
  now,
  random = Math.random(),
}: RetryTiming): number => {
  const asked = headers === undefined ? undefined : askedSeconds(headers, retryHeader, now)
  if (asked !== undefined && asked > 0) return asked + random / 10
  return backoff(retries, { first: 1, longest: 512 }) * (0.5 + random / 2)
}

const askedSeconds = (headers: ResponseHeaders, retryHeader: string, now: number): number | undefined => {
  const value = firstHeader(headers, retryHeader)
  const fromHeader = value === undefined ? undefined : parseRetryHeader(value, now)
  return fromHeader !== undefined && fromHeader > 0 ? fromHeader : rateLimitResetSeconds(headers, now)
}

/** Whether a server says how long it wants no requests, in whatever words. */
export const namesWait = (headers: ResponseHeaders, retryHeader: string, now: number): boolean =>
  firstHeader(headers, retryHeader) !== undefined || rateLimitResetSeconds(headers, now) !== undefined

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

export type RuleFor = (response: HttpResponse) => ErrorRule | undefined

/** The first rule that holds for a response; without one it is handled as its status says. */
export const createErrorRules =
  (rules: readonly ErrorRule[]): RuleFor =>
  response =>
    rules.find(({ when }) => passes(when, response))

/**
 * Seconds that a rule wants a retry to wait; `undefined` when it leaves that to the server's headers and the back-off,
 * also because the response does not hold what the rule reads.
 */
export const waitOf = ({ wait }: ErrorRule, response: HttpResponse, now: number): number | undefined => {
  if (wait === undefined || typeof wait === 'number') return wait
  const text =
    'header' in wait ? firstHeader(response.headers, wait.header) : textAt(wait.path, response.body)
  const seconds = text === undefined ? undefined : parseRetryHeader(text, now)
  return seconds !== undefined && seconds > 0 ? seconds : undefined
}

const textAt = (path: string, body: Buffer): string | undefined => {
  const found = valueInBody(body, path)
  return found === undefined || isContainer(found) ? undefined : toText(found)
}

/**
 * Whether a response is like `test` says. Without a status only errors (400 and above) are looked at: reading the body of
 * every page would cost as much as the page itself. The body is parsed only when all else holds.
 */
const passes = (test: ResponseTest, response: HttpResponse): boolean => {
  const { status, header, body } = test
  if (status === undefined ? response.status < 400 : !isOneOf(status, response.status)) return false
  if (header !== undefined && !compares(header, firstHeader(response.headers, header.name))) return false
  return body === undefined || compares(body, contentOf(response, body.path))
}

const isOneOf = (wanted: NonNullable<ResponseTest['status']>, status: number): boolean =>
  [wanted].flat().some(one => (isStatusClass(one) ? one[0] === String(status)[0] : Number(one) === status))

const compares = ({ equals, contains, exists }: Comparison, found: Json | undefined): boolean => {
  if (exists !== undefined) return exists === (found !== undefined)
  if (found === undefined) return false
  const text = typeof found === 'object' ? JSON.stringify(found) : toText(found)
  if (contains !== undefined) return text.includes(contains)
  return [equals].flat().some(one => one !== undefined && text === toText(one))
}

/** The whole body as text, or what is at a path of it. */
const contentOf = ({ body }: HttpResponse, path: string | undefined): Json | undefined => {
  if (path !== undefined) return valueInBody(body, path)
  return body.length === 0 ? undefined : body.toString('utf8')
}

/** What is at a path of a body; nothing in a body that is no JSON, which a rule that looks for a value does not hold for. */
const valueInBody = (body: Buffer, path: string): Json | undefined => {
  try {
    return valueAt(path, parseJson(body))
  } catch {
    return undefined
  }
}
