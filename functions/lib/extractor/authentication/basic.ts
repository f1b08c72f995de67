import { UserError } from '../../errors/errors.ts'
import { setHeader } from '../http/outgoing-request.ts'
import { toText } from '../php/php-values.ts'
import type { Json } from '../tables/json-value.ts'
import type { Authenticator } from './authenticator.ts'

/**
 * HTTP Basic (RFC 7617) with `username` and `password` of the `config` section; the `#` forms win.
 *
 * ```
 * "config": { "username": "ann", "#password": "pw" }
 * GET /orders    Authorization: Basic YW5uOnB3
 * ```
 */
export const basicAuthentication = (attributes: Readonly<Record<string, Json>>): Authenticator => {
  const username = attributes['#username'] ?? attributes['username']
  const password = attributes['#password'] ?? attributes['password']
  if (username === undefined || password === undefined) {
    throw new UserError(
      'extractor.authentication.basic',
      `Basic authentication needs "#username" (or "username") and "#password" in the config section`,
    )
  }
  const credentials = Buffer.from(`${toText(username)}:${toText(password)}`).toString('base64')
  return {
    sign: async request => ({
      request: { ...request, headers: setHeader(request.headers, 'Authorization', `Basic ${credentials}`) },
      session: 0,
    }),
  }
}
