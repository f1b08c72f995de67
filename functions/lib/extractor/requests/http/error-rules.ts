import type { Json } from '#lib/json/json-value.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import {
  type Comparison,
  type ErrorRule,
  isStatusClass,
  type ResponseTest,
} from '../../config/error-rules-schema.ts'
import { isContainer, toText } from '../../values/php/php-values.ts'
import { valueAt } from '../../values/select/json-path.ts'
import { firstHeader, type HttpResponse } from '../answers/http-response.ts'
import { parseRetryHeader } from './retry-delay.ts'

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
