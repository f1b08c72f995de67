import { STATUS_CODES } from 'node:http'
import { UserError } from '../../errors.ts'
import type { Log } from '../log.ts'
import type { Json } from '../tables/index.ts'
import { parseJson } from '../tables/parse-json.ts'
import type { HttpResponse } from './http-response.ts'

export interface ParseResponseOptions {
  method: string
  /** Statuses whose body is taken as it comes, with a warning (facts 5.4). */
  ignoreErrors: ReadonlySet<number>
  /** A body without content counts as a page without items (specification 4.3, rule 3), not as damaged JSON. */
  emptyIsLast: boolean
  log: Log
}

/**
 * The JSON of a response.
 *
 * @throws UserError `extractor.response.status` for 4xx and 5xx, `extractor.response.json` for a body that is not JSON
 */
export const parseResponse = (
  response: HttpResponse,
  options: ParseResponseOptions,
): { json: Json; isParsed: boolean } => {
  const ignored = options.ignoreErrors.has(response.status)
  const problem = response.status >= 400 ? statusError(response, options.method) : undefined
  if (problem !== undefined && !ignored) throw problem
  if (problem !== undefined) options.log.warning(`Failed to get response ${problem.message}`)
  if (options.emptyIsLast && problem === undefined && isBlank(response.body)) {
    options.log.warning('The response is empty: it contains no data!')
    return { json: [], isParsed: false }
  }
  try {
    return { json: parseBody(response.body), isParsed: true }
  } catch (error) {
    if (!ignored || !(error instanceof UserError)) throw error
    options.log.warning(`Failed to parse response ${error.message}`)
    return { json: { errorData: response.body.toString('utf8') }, isParsed: false }
  }
}

const isBlank = (body: Buffer): boolean => body.length < 1024 && body.toString('latin1').trim() === ''

export const parseBody = (body: Buffer): Json => {
  try {
    return parseJson(body)
  } catch (cause) {
    if (cause instanceof UserError) throw cause
    throw new UserError(
      'extractor.response.json',
      'Invalid JSON response from API: JSON decode error: Syntax error, malformed JSON',
      { cause, params: { body: startOf(body) } },
    )
  }
}

export const statusError = (response: HttpResponse, method: string): UserError => {
  const { status, url, body } = response
  const kind = status >= 500 ? 'Server error' : 'Client error'
  const text = `${status} ${STATUS_CODES[status] ?? ''}`.trim()
  return new UserError(
    'extractor.response.status',
    `The API request failed: [${status}] ${kind}: \`${method} ${url}\` resulted in a \`${text}\` response:\n${startOf(body)}`,
    { params: { status, body: startOf(body, 10_000) } },
  )
}

/** Enough of a body to see what went wrong. */
const startOf = (body: Buffer, limit = 500): string => {
  const text = body
    .subarray(0, limit * 4)
    .toString('utf8')
    .slice(0, limit)
  return body.length > Buffer.byteLength(text) ? `${text} (truncated...)` : text
}
