import { UserError } from '../../errors.ts'
import { parseBody } from '../http/parse-response.ts'
import { isObject } from '../php-values.ts'
import type { Json } from '../tables/index.ts'

/**
 * What `response` references read. `text` keeps the body as `{ data: <text> }`; `json` takes an object as it is and a
 * scalar as `{ data: <scalar> }` (specification 5, rule 1). A list or null carries no credentials.
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
