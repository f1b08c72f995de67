import { createHmac, scryptSync } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { pathInside } from '#lib/paths/path-inside.ts'
import type { ConditionalSettings } from '../../config/conditional-schema.ts'
import { firstHeader, type HttpResponse, type ResponseHeaders } from '../answers/http-response.ts'
import type { Log } from '../masking/log.ts'
import type { Masker } from '../masking/masker.ts'
import { type AnswerFile, type KeptAnswer, openAnswerFile } from './answer-file.ts'
import type { Outcome } from './cassette.ts'
import { NetworkFailure } from './network-failure.ts'
import type { OutgoingRequest } from './outgoing-request.ts'
import type { Traffic } from './traffic.ts'

interface KeptAnswersOptions {
  /** Undefined: nothing is kept. */
  settings: ConditionalSettings | undefined
  /** File of the run before; need not be there. Undefined: nothing is kept. */
  before: string | undefined
  spoolDir: string
  secrets: Iterable<string>
  masker: Masker
  traffic: Traffic
}

interface Asked {
  /** The request as it goes on the wire; `unsigned` is without what authentication adds, which differs from run to run. */
  request: OutgoingRequest & { unsigned: OutgoingRequest }
  /** Whether these headers say all that a page needs them for: a server may leave them out of a 304. */
  isEnough: (headers: ResponseHeaders) => boolean
  send: (request: OutgoingRequest) => Promise<Outcome>
}

/** Answers of the run before, for requests whose server may say that nothing has changed. */
export interface KeptAnswers {
  /**
   * Sends a request, with the validator of its kept answer if there is one. When the server says that nothing has changed, the answer is the
   * kept one, as if it had come again. A 304 that cannot be used comes as it is: the request is to be sent without a validator.
   *
   * @param account what tells those who ask apart
   */
  ask(account: string, asked: Asked): Promise<Outcome>
  /** The file that the next run is to be given as `before`; undefined when nothing was kept. */
  file(): string | undefined
}

/** What the author should know of answers that the next run asks for whole. */
export const notKeptWarnings = ({ notKept = 0 }: Traffic, log: Log): string[] => {
  if (notKept === 0) return []
  const count = notKept === 1 ? '1 answer is' : `${notKept.toLocaleString('en-US')} answers are`
  const warning = `${count} not kept for conditional requests: too much for the limits of "api.http.conditional", or with a secret of the configuration.`
  log.warning(warning)
  return [warning]
}

/** Each is in memory as a whole. */
const MAX_ANSWER_BYTES = 16 * 1024 ** 2

/** Undefined when nothing is to be kept. */
export const createKeptAnswers = (options: KeptAnswersOptions): KeptAnswers | undefined => {
  const { settings, before, masker, traffic } = options
  if (settings === undefined || before === undefined) return undefined
  const path = keptAnswersFile(options.spoolDir)
  const known = openAnswerFile(before)
  const own = openAnswerFile(path, known.salt)
  const keys = createKeys(own.salt, options.secrets)
  let doubtsHeaders = false

  const keep = (given: Omit<KeptAnswer, 'bytes' | 'crc'>, response: HttpResponse): void => {
    const { answers, bytes } = settings
    const ofFile = response.file === undefined ? undefined : statSync(response.file).size
    const size = ofFile ?? response.body.length
    const hasRoom = own.count < answers || own.find(given.key) !== undefined
    const fits = hasRoom && size <= MAX_ANSWER_BYTES && own.size + size <= bytes
    const body = !fits || response.file === undefined ? response.body : readFileSync(response.file)
    const texts = fits ? [body.toString('latin1'), JSON.stringify(given.headers)] : []
    // Spelled in two ways, since a secret need not be ASCII
    if (fits && ![...texts, body.toString('utf8')].some(masker.holdsSecret)) own.append(given, body)
    else traffic.notKept = (traffic.notKept ?? 0) + 1
  }

  return {
    ask: async (account, { request, isEnough, send }) => {
      if (!mayAsk(request)) return send(request)
      const key = keys(account, request.unsigned)
      const needsHeaders = !isEnough({})
      const kept = own.salt === known.salt && !(needsHeaders && doubtsHeaders) ? read(known, key) : undefined
      const response = await send(kept === undefined ? request : conditional(request, kept.answer))
      if (response instanceof NetworkFailure) return response
      if (response.status === 304 && kept !== undefined) {
        doubtsHeaders ||= !isEnough(response.headers)
        if (!isEnough(response.headers)) return response
        traffic.unchanged = (traffic.unchanged ?? 0) + 1
        const headers = { ...kept.answer.headers, ...withoutContent(response.headers) }
        const whole = { ...response, status: 200, headers, body: kept.body }
        const { bytes: _, crc: __, ...answer } = kept.answer
        keep({ ...answer, headers: headersToKeep(headers) }, whole)
        return whole
      }
      const validator = validatorOf(response)
      if (validator !== undefined && isEnough(response.headers))
        keep({ key, ...validator, headers: headersToKeep(response.headers) }, response)
      return response
    },
    file: () => (own.count > 0 ? path : undefined),
  }
}

/** Below the folder of spooled rows, so that it goes along to the next leg. */
const keptAnswersFile = (spoolDir: string): string => pathInside(spoolDir, 'kept-answers')

const read = (file: AnswerFile, key: string): { answer: KeptAnswer; body: Buffer } | undefined => {
  const answer = file.find(key)
  const body = answer && file.body(answer)
  return answer && body && { answer, body }
}

/** A hundredth of a second, once in each leg. */
const SCRYPT_COST = 4096

/** Keys say neither what was asked for nor who asked, and a secret cannot be found by trying: each guess costs a `scrypt`. */
const createKeys = (salt: string, secrets: Iterable<string>) => {
  let secret: Buffer | undefined
  return (account: string, { url, headers }: OutgoingRequest): string => {
    secret ??= scryptSync(JSON.stringify([...new Set(secrets)].sort()), salt, 32, { cost: SCRYPT_COST })
    return createHmac('sha256', secret)
      .update(JSON.stringify([account, url.href, headers]))
      .digest('hex')
  }
}

/** Whoever asks with conditions of its own gets what it asks for. */
const mayAsk = ({ method, body, headers }: OutgoingRequest): boolean =>
  method === 'GET' &&
  body === undefined &&
  !Object.keys(headers).some(name => /^(if-.*|range|cache-control)$/i.test(name))

const conditional = (request: OutgoingRequest, { etag, lastModified = '' }: KeptAnswer): OutgoingRequest => ({
  ...request,
  headers: {
    ...request.headers,
    ...(etag === undefined ? { 'If-Modified-Since': lastModified } : { 'If-None-Match': etag }),
  },
})

/** A change within the same second, or just after it by another clock, keeps the time (RFC 9110, "Last-Modified"). */
const SURE_MS = 60_000

const validatorOf = ({
  status,
  headers,
}: HttpResponse): { etag: string } | { lastModified: string } | undefined => {
  if (status !== 200 || /\bno-store\b/i.test(text(headers, 'cache-control'))) return undefined
  if (text(headers, 'vary').includes('*')) return undefined
  const etag = firstHeader(headers, 'etag')
  if (etag) return { etag }
  const lastModified = text(headers, 'last-modified')
  const ageMs = Date.parse(text(headers, 'date')) - Date.parse(lastModified)
  return ageMs >= SURE_MS ? { lastModified } : undefined
}

const text = (headers: ResponseHeaders, name: string): string => [headers[name] ?? []].flat().join(', ')

/** All that is read of the answer of a page. Others may hold logins. */
const headersOfPages = ['content-type', 'content-disposition', 'link']

const headersToKeep = (headers: ResponseHeaders): KeptAnswer['headers'] =>
  Object.fromEntries(
    headersOfPages.flatMap(name => {
      const value = headers[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** Of a 304: all that it says of itself, and nothing of a body that it does not have. */
const withoutContent = (headers: ResponseHeaders): ResponseHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-')))
