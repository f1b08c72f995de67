import { UserError } from '#lib/errors/errors.ts'
import { JsonNumber } from '#lib/json/json-number.ts'
import type { Json } from '#lib/json/json-value.ts'
import { evaluate } from '../../values/functions/evaluate.ts'
import { toText } from '../../values/php/php-values.ts'

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
