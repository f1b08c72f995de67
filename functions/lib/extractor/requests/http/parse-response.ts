import { isUtf8 } from 'node:buffer'
import { isDeepStrictEqual } from 'node:util'
import { getHeapStatistics } from 'node:v8'
import { shortDigest } from '#lib/digests.ts'
import { UserError } from '#lib/errors/errors.ts'
import type { Json } from '#lib/json/json-value.ts'
import { parseJson } from '#lib/json/parse-json.ts'
import { MOST_DEPTH, type ScannedNumbers } from '#lib/json/scan-numbers.ts'
import { STATUS_CODES } from '#lib/node-http.ts'
import type { ErrorRule } from '../../config/response-schema.ts'
import { firstHeader, type HttpResponse, saidCharset } from '../answers/http-response.ts'
import type { ItemFile } from '../answers/item-file.ts'
import type { Log, Masker } from '../masking/masker.ts'

export interface ParseResponseOptions {
  method: string
  /** Statuses whose body is used all the same, with a warning (docs/reference/extractor-requests.md#retries-and-errors). */
  ignoreErrors: ReadonlySet<number>
  /** A body without content counts as a page without items (docs/reference/extractor-jobs.md#items), not as damaged JSON. */
  emptyIsLast: boolean
  /** So does an answer with status 204. Not so in Generic Extractor. */
  nothingIsLast: boolean
  log: Log
  masker: Masker
}

/** What an ignored response ends: the run of the job for one parent row, or the job. */
export type PageEnd = 'run' | 'job'

/**
 * The JSON of a response.
 *
 * @throws UserError `extractor.response.status` for 4xx and 5xx, `extractor.response.json` for a body that is not JSON
 */
export const parseResponse = (
  response: HttpResponse,
  options: ParseResponseOptions,
): { json: Json; isParsed: boolean; ends?: PageEnd } => {
  if (response.rule !== undefined) return ruledResponse(response, response.rule, options)
  const ignored = options.ignoreErrors.has(response.status)
  const problem = response.status >= 400 ? statusError(response, options) : undefined
  if (problem !== undefined && !ignored) throw problem
  if (problem !== undefined) options.log.warning(`Failed to get response ${problem.message}`)
  if (isEmptyPage(response, options)) {
    options.log.warning('The response is empty: it contains no data!')
    return { json: [], isParsed: false }
  }
  try {
    return { json: parseBody(response.body), isParsed: true }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    if (!ignored) throw isNoJson(error) ? withAnswer(error, response, options.masker) : error
    options.log.warning(`Failed to parse response ${error.message}`)
    return { json: { errorData: response.body.toString('utf8') }, isParsed: false }
  }
}

/** What an error rule makes of a response that is not sent for again. */
const ruledResponse = (
  response: HttpResponse,
  rule: ErrorRule,
  options: ParseResponseOptions,
): { json: Json; isParsed: false; ends: PageEnd } => {
  const said = rule.message === undefined ? '' : `${rule.message}: `
  const request = `${options.method} ${options.masker.mask(response.url)} answered ${response.status}`
  if (rule.do === 'ignore' || rule.do === 'stop') {
    const effect =
      rule.do === 'ignore' ? 'it counts as a page without items' : 'the job ends with what it has read'
    options.log.warning(`${said}${request}; by an error rule ${effect}`)
    return { json: [], isParsed: false, ends: rule.do === 'ignore' ? 'run' : 'job' }
  }
  const { message, params } = statusError(response, options)
  const tried =
    rule.do === 'retry'
      ? ' It was tried as often as "retryConfig" allows.'
      : rule.do === 'login'
        ? ' A new login did not help.'
        : ''
  throw new UserError('extractor.response.rule', `${said}${message}${tried}`, { params })
}

/** Whether a response is a page and no more: all that parsing it can say is that it is no JSON. */
export const isUsual = (
  { rule, status, body }: HttpResponse,
  { ignoreErrors, ...options }: Pick<ParseResponseOptions, 'ignoreErrors' | 'emptyIsLast' | 'nothingIsLast'>,
): boolean =>
  rule === undefined && status < 400 && !ignoreErrors.has(status) && !isEmptyPage({ status, body }, options)

/** 204 says that there is nothing (RFC 9110, 15.3.5). */
const isEmptyPage = (
  { status, body }: Pick<HttpResponse, 'status' | 'body'>,
  { emptyIsLast, nothingIsLast }: Pick<ParseResponseOptions, 'emptyIsLast' | 'nothingIsLast'>,
): boolean => status < 400 && (emptyIsLast || (nothingIsLast && status === 204)) && isBlank(body)

const isBlank = (body: Buffer): boolean => body.length < 1024 && body.toString('latin1').trim() === ''

/** What lists and objects take when they are empty, and numbers whose text is kept. */
const CONTAINER_BYTES = 120
const NUMBER_BYTES = 225

/**
 * A process that runs out of memory ends without a word, and with it whatever else it does. Errors: `extractor.response.depth`,
 * `extractor.response.tooLarge`.
 */
export const refuseHostile = ({ containers, changed, depth }: ScannedNumbers, bytes: number): void => {
  if (depth > MOST_DEPTH)
    throw new UserError('extractor.response.depth', 'The response is nested too deeply.')
  const numbers = changed.length / 2
  const needed = bytes + containers * CONTAINER_BYTES + numbers * NUMBER_BYTES
  if (needed > getHeapStatistics().heap_size_limit / 2)
    throw new UserError(
      'extractor.response.tooLarge',
      `The response has ${containers} lists and objects, and ${numbers} numbers whose digits are kept: more than there is memory for. Ask for smaller pages.`,
    )
}

/** The error does not show the body: it may be the token of a login. */
export const parseBody = (body: Buffer): Json => {
  try {
    return parseJson(body, refuseHostile)
  } catch (cause) {
    if (cause instanceof UserError) throw cause
    throw new UserError(
      'extractor.response.json',
      'Invalid JSON response from API: JSON decode error: Syntax error, malformed JSON',
      { cause },
    )
  }
}

const isNoJson = ({ code }: UserError): boolean => code === 'extractor.response.json'

/** What came instead, so that nobody has to ask for it again to see it. */
const withAnswer = (
  { code, message, cause, params }: UserError,
  { status, headers, body }: HttpResponse,
  masker: Masker,
): UserError => {
  const type = firstHeader(headers, 'content-type') ?? 'no content type'
  const shown = startOf(body, masker, 80).replaceAll(/\s+/g, ' ').trim()
  const came = `The answer (${status}, ${type}) ${shown === '' ? 'is empty' : `begins with: ${shown}`}`
  // What the parser quotes of the answer behind a comma may be a part of a secret
  const why =
    shown !== '' && cause instanceof SyntaxError ? ` (${cause.message.split(/, | is not valid/)[0]})` : ''
  return new UserError(code, `${message}${why}. ${came}`, {
    cause,
    params: { ...params, body: startOf(body, masker) },
  })
}

const LOGIN_RULE = '"errorRules": [{"when": {"status": 401}, "do": "login"}]'

export const statusError = (
  response: HttpResponse,
  { method, masker }: Pick<ParseResponseOptions, 'method' | 'masker'>,
): UserError => {
  const { status, url, body, isUntrusted, isOfSession } = response
  const { origin } = new URL(url)
  const held =
    isUntrusted && status < 500
      ? `\nNo header and no credential of the configuration goes to ${origin}: if it may have them, list it in "api.http.trustedOrigins".`
      : ''
  const rule =
    isOfSession && status === 401
      ? `\nIf the login has ended, let it be made anew, under "api.http": ${LOGIN_RULE}`
      : ''
  const kind = status >= 500 ? 'Server error' : status >= 400 ? 'Client error' : 'Refused by an error rule'
  const text = `${status} ${STATUS_CODES[status] ?? ''}`.trim()
  return new UserError(
    'extractor.response.status',
    `The API request failed: [${status}] ${kind}: \`${method} ${masker.mask(url)}\` resulted in a \`${text}\` response:\n${startOf(body, masker)}${held}${rule}`,
    { params: { status, body: startOf(body, masker, 10_000) } },
  )
}

/** Enough of a body to see what went wrong. */
const startOf = (body: Buffer, masker: Masker, limit = 500): string => {
  // A character takes three bytes of UTF-8 for each of its units at most
  const text = body.subarray(0, (limit + masker.longestSecret() + 1) * 3).toString('utf8')
  const start = masker.maskStart(text, limit)
  return text.length > limit ? `${start} (truncated...)` : start
}

/**
 * The body of a JSON response in UTF-8 without a byte order mark. Its charset is the one that is given, or that of `Content-Type`.
 *
 * @param encoding as the configuration says it
 * @throws UserError `extractor.response.encoding` for bytes that are no letters: they would be lost
 */
export const jsonText = (
  { body, headers }: Pick<HttpResponse, 'body' | 'headers'>,
  encoding: string | undefined,
): Buffer => {
  const charset = markedCharset(body) ?? encoding ?? saidCharset(headers) ?? 'utf-8'
  if (charset !== 'utf-8') return decode(body, charset)
  const text = body.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? body.subarray(3) : body
  if (isUtf8(text) || !looksLikeJson(text)) return text
  throw notIn('UTF-8')
}

/** By its byte order mark. */
const markedCharset = ([first, second]: Buffer): string | undefined => {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

const decode = (body: Buffer, charset: string): Buffer => {
  try {
    return Buffer.from(new TextDecoder(charset, { fatal: true }).decode(body))
  } catch {
    throw notIn(charset)
  }
}

const looksLikeJson = (body: Buffer): boolean => /^\s*[[{"]/.test(body.subarray(0, 100).toString('latin1'))

const notIn = (charset: string): UserError =>
  new UserError(
    'extractor.response.encoding',
    `The response is no text in ${charset}. Name what it is written in, "response": {"format": "json", "encoding": "windows-1252"} for one.`,
  )

export interface FetchedPage {
  /** May be parsed when it is first asked for; then what is no JSON throws. */
  readonly response: Json
  /** Drops what was parsed: the page is written. */
  forget?: () => void
  headers: HttpResponse['headers']
  url: string
  body: Buffer
  /** Whether `response` is what `body` holds; not so for an ignored error that was no JSON. */
  isParsed: boolean
  /** Set when an error rule let the response pass: nothing follows it. */
  ends?: PageEnd | undefined
  /** Its items when it is no plain JSON; `response` is what stands beside them. */
  items?: ItemFile | undefined
  /** Which of its items are read next: a place in their file, or in the list; 0 before any. */
  at: number
}

/** A page that is parsed in its turn: what came ahead waits as bytes. */
export const parsedLater = (
  page: Pick<FetchedPage, 'headers' | 'url' | 'body' | 'at'>,
  parse: () => Json,
): FetchedPage => {
  let parsed: { response: Json } | undefined
  return {
    ...page,
    isParsed: true,
    get response() {
      parsed ??= { response: parse() }
      return parsed.response
    },
    forget: () => {
      parsed = undefined
    },
  }
}

/** What an API sent. */
export type SentPage = Pick<FetchedPage, 'isParsed' | 'body' | 'response'>

/** A digest of a response. A checkpoint holds it in place of the last response. */
export const fingerprint = (response: Json): string => shortDigest(JSON.stringify(response))

/** Whether two pages hold the same values in the same order. Mostly decided by the first that differs. */
export const isSamePage = (a: SentPage, b: SentPage): boolean =>
  (a.isParsed && b.isParsed && a.body.equals(b.body)) || isDeepStrictEqual(a.response, b.response)
