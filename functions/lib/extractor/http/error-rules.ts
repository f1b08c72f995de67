import type { ErrorRule } from '../config/error-rules-schema.ts'
import { isContainer, toText } from '../php/php-values.ts'
import { firstHeader, type HttpResponse } from './http-response.ts'
import { passes, valueInBody } from './response-test.ts'
import { parseRetryHeader } from './retry-delay.ts'

/** The first rule that holds for a response; without one it is handled as its status says. */
export const createErrorRules =
  (rules: readonly ErrorRule[]) =>
  (response: HttpResponse): ErrorRule | undefined =>
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
