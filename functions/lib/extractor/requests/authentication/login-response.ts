import { UserError } from '#lib/errors/errors.ts'
import { JsonNumber } from '#lib/json/json-number.ts'
import { isObject, type Json } from '#lib/json/json-value.ts'
import { evaluate } from '../../values/functions/evaluate.ts'
import { toText } from '../../values/php/php-values.ts'
import { parseBody } from '../http/parse-response.ts'

/**
 * What `response` references read. `text` keeps the body as `{ data: <text> }`; `json` takes an object as it is and a
 * scalar as `{ data: <scalar> }` (docs/reference/extractor-authentication.md#login). A list or null carries no credentials.
 */
export const toLoginResponse = (body: Buffer, format: 'json' | 'text'): Json => {
  if (format === 'text') return { data: body.toString('utf8') }
  const response = parseBody(body)
  if (isObject(response)) return response
  if (response !== null && !Array.isArray(response)) return { data: response }
  throw new UserError(
    'extractor.authentication.login',
    `Invalid response of the login request: an object or a scalar is expected, got ${response === null ? 'null' : 'a list'}.`,
  )
}

const credentialKey =
  /(token|secret|pass|session|sid|jwt|cookie|assertion|signature|key|code|ticket|credential)/i

/** What a later leg may have to hide of a login response: refresh tokens are kept elsewhere, at once. */
export const withoutRefreshTokens = (response: Json): Json => {
  if (Array.isArray(response)) return response.map(withoutRefreshTokens)
  if (!isObject(response)) return response
  const kept = Object.entries(response).filter(([key]) => !/refresh/i.test(key))
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutRefreshTokens(value)]))
}

/**
 * The texts of a login response that are credentials: by their names, by their looks (long and without blanks), or because
 * they are in `used`, the values that requests get.
 */
export const credentialsIn = (response: Json, used: readonly string[] = [], name = ''): string[] => {
  if (Array.isArray(response)) return response.flatMap(item => credentialsIn(item, used, name))
  if (isObject(response))
    return Object.entries(response).flatMap(([key, value]) => credentialsIn(value, used, key))
  const text = toText(response)
  const isCredential =
    credentialKey.test(name) || /^\S{16,}$/.test(text) || used.some(value => value.includes(text))
  return text.length >= 4 && isCredential ? [text] : []
}

/**
 * When credentials expire, in seconds since 1970, from the value that the login response gave
 * (docs/reference/extractor-authentication.md#login): a date-time text, a timestamp, or with `relative` a number of seconds from
 * now. `undefined` (no value) is never.
 *
 * Digits in a text count as the number they show: Generic Extractor reads `"3600"` as the year 3600, which no API
 * means.
 *
 * @throws UserError `extractor.authentication.expired` when the credentials expired before they came
 */
export const loginExpiry = (value: Json | undefined, relative: boolean, now: number): number | undefined => {
  if (value === undefined || value === null) return undefined
  const text = toText(value)
  const isNumber = typeof value === 'number' || value instanceof JsonNumber || /^\d+(\.\d+)?$/.test(text)
  const expires =
    isNumber && (relative || !isDateOfDigits(text))
      ? Number(text) + (relative ? now : 0)
      : parseDate(text, now)
  if (expires < Math.floor(now)) {
    throw new UserError(
      'extractor.authentication.expired',
      `Login authentication returned expiry time before current time: '${text}'`,
    )
  }
  return expires
}

/** `20260131` and `20260131120000` are dates; timestamps have nine to eleven digits. */
const isDateOfDigits = (text: string): boolean => /^\d{8}$|^\d{14}$/.test(text)

const parseDate = (text: string, now: number): number => {
  const parsed = evaluate({ function: 'strtotime', args: [text] }, {}, { now: Math.floor(now) })
  if (typeof parsed === 'number') return parsed
  throw new UserError(
    'extractor.authentication.expired',
    `Login authentication returned an unreadable expiry time: '${text}'`,
  )
}
