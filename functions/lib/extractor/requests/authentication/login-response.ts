import { UserError } from '#lib/errors/errors.ts'
import type { Json } from '#lib/json/json-value.ts'
import { isObject } from '#lib/json/json-value.ts'
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
