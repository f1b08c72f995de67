import * as z from 'zod'
import type { Authentication } from './authentication-schema.ts'
import { decimal, key, name, optional, text } from './fields.ts'
import { ResponseTest } from './response-test-schema.ts'
import { strictObject } from './strict-object.ts'

const waits = [
  decimal,
  strictObject({ header: key(name, 'The header that says the seconds.') }),
  strictObject({ path: key(name, 'The path in the response that says them.') }),
] as const

const Wait = z.union(waits, {
  error: '"wait" must be a number of seconds, {"header": name} or {"path": path in the response}',
})

/** One rule of `api.http.errorRules` (docs/reference/extractor-requests.md#error-rules). Ours. */
export const ErrorRule = strictObject({
  when: key(ResponseTest, 'What the response has to be like; all that is given has to hold.'),
  do: key(z.enum(['fail', 'ignore', 'retry', 'login', 'stop']), 'What becomes of it, see below.'),
  wait: key(
    optional(Wait),
    'Seconds before a `retry`, or where the response says them. Without it as for any retry.',
  ),
  message: key(optional(text), 'Text in front of the error or the warning.'),
}).refine(rule => rule.wait === undefined || rule.do === 'retry', '"wait" belongs to "do": "retry"')

export type ErrorRule = z.output<typeof ErrorRule>

export const NO_LOGIN = '"do": "login" needs an authentication that logs in'

export const isLoginPossible = (
  authentication: Authentication | false | undefined,
  rules: readonly ErrorRule[] = [],
): boolean =>
  rules.every(rule => rule.do !== 'login') ||
  (authentication && ['login', 'oauth20.login', 'oauth2', 'jwt'].includes(authentication.type)) === true
