import * as z from 'zod/mini'
import type { UserCode } from '../lib/errors/codes.ts'
import { statusOf } from '../lib/errors/statuses.ts'
import { MAX_RESULT_BYTES } from './http/page.ts'
import { catalogError } from './iceberg/catalog-error-reply.ts'
import { CATALOG_PATH } from './iceberg/match-endpoint.ts'
import type { App } from './routes/app.ts'

/** API Gateway's HTTP API event, payload format 2.0: the parts that make a request. */
export const gatewayEvent = z.object({
  rawPath: z.string(),
  rawQueryString: z._default(z.string(), ''),
  headers: z._default(z.record(z.string(), z.string()), {}),
  cookies: z._default(z.array(z.string()), []),
  body: z.optional(z.string()),
  isBase64Encoded: z._default(z.boolean(), false),
  requestContext: z.object({ domainName: z.string(), http: z.object({ method: z.string() }) }),
})

export type GatewayEvent = z.infer<typeof gatewayEvent>

export interface GatewayResult {
  statusCode: number
  headers: Record<string, string>
  /** Each becomes a `Set-Cookie` header. */
  cookies?: string[]
  body: string
  isBase64Encoded: boolean
}

// Lambda takes 6 MB of event, JSON and base64 included (Developer Guide, "Lambda quotas"). Half a megabyte is left for
// what goes around a body.
export const MAX_GATEWAY_BODY_BYTES = 6 * 1024 * 1024 - 512 * 1024

/** The gateway gives up after 30 s and the function ends after 29: this leaves time to say so. */
const LONGEST_ANSWER_MS = 28_000

interface AnswerOptions {
  /** Default 28,000. */
  longestMs?: number
}

/**
 * Answers a gateway's event with the app. Enforces the limits of gateway and function, with replies that say what to do
 * instead.
 */
export const answerGatewayEvent = async (
  app: App,
  event: GatewayEvent,
  { longestMs = LONGEST_ANSWER_MS }: AnswerOptions = {},
): Promise<GatewayResult> => {
  const late = Promise.withResolvers<GatewayResult>()
  const timer = setTimeout(() => late.resolve(tooLate(event)), longestMs)
  try {
    return await Promise.race([answer(app, event), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Methods that no `Request` can have (Fetch Standard, "Methods"). */
const NO_REQUESTS = ['TRACE', 'TRACK', 'CONNECT']

const answer = async (app: App, event: GatewayEvent): Promise<GatewayResult> => {
  if (Buffer.byteLength(event.body ?? '') > MAX_GATEWAY_BODY_BYTES)
    return refusal(
      event,
      'storage.requestTooLarge',
      'The request body is too large for this address. Upload the file directly: POST /v2/storage/files/prepare with ' +
        'federationToken=1, and put it into the object store with the credentials of the reply.',
    )

  if (NO_REQUESTS.includes(event.requestContext.http.method.toUpperCase()))
    return refusal(event, 'notFound', `There is no such route: ${event.requestContext.http.method}`)

  const response = await app.fetch(toRequest(event))
  const bytes = Buffer.from(await response.arrayBuffer())
  const isText =
    !response.headers.has('content-encoding') &&
    /^(text\/|application\/json)/.test(response.headers.get('content-type') ?? 'text/')
  const cookies = response.headers.getSetCookie()
  const result: GatewayResult = {
    statusCode: response.status,
    headers: Object.fromEntries([...response.headers].filter(([name]) => name !== 'set-cookie')),
    ...(cookies.length > 0 && { cookies }),
    body: bytes.toString(isText ? 'utf8' : 'base64'),
    isBase64Encoded: !isText,
  }
  // In JSON quotes and line ends take two bytes, and letters of other alphabets take up to three.
  if (Buffer.byteLength(JSON.stringify(result)) > MAX_RESULT_BYTES)
    return refusal(
      event,
      'storage.responseTooLarge',
      'The reply is too large for this address. Ask for less at once: a smaller limit, or fewer columns; of a table in ' +
        'the Iceberg catalog, snapshots=refs.',
    )
  return result
}

const toRequest = ({
  rawPath,
  rawQueryString,
  headers,
  cookies,
  body,
  isBase64Encoded,
  requestContext,
}: GatewayEvent) => {
  // The gateway has decoded the path: encode it again, as an address would leave out spaces and line ends.
  const parts = rawPath.toWellFormed().split('/')
  const hasSteps = parts.includes('.') || parts.includes('..')
  // Steps cannot be encoded. What they lead to is not what the client has named, so it is no path at all.
  const path = hasSteps ? '//' : parts.map(encodeURIComponent).join('/')
  const query = rawQueryString === '' ? '' : `?${rawQueryString}`
  const { method } = requestContext.http
  const hasBody = body !== undefined && method !== 'GET' && method !== 'HEAD'
  const protocol = headers['x-forwarded-proto'] === 'http' ? 'http' : 'https'
  // The gateway answers for its own hosts only. The header names the port as well, which one machine needs.
  const host = headers['host'] ?? requestContext.domainName
  return new Request(`${protocol}://${host}${path}${query}`, {
    method,
    // The gateway takes the cookies out of the headers.
    headers: printable(cookies.length > 0 ? { ...headers, cookie: cookies.join('; ') } : headers),
    ...(hasBody && { body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') }),
  })
}

/** Header values for a `Request`: one byte per character. */
const printable = (headers: Record<string, string>): [string, string][] =>
  Object.entries(headers).map(([name, value]) => [
    name,
    value.replaceAll(/[^\x20-\x7e]/g, encodeURIComponent),
  ])

const refusal = ({ rawPath }: GatewayEvent, code: UserCode, message: string): GatewayResult => {
  const status = statusOf(code)
  const isForCatalog = rawPath.startsWith(`${CATALOG_PATH}/`)
  const body = isForCatalog
    ? catalogError(status, message)
    : { error: message, code, exceptionId: code, status: 'error', contextParams: {} }
  return {
    statusCode: status,
    // A page could not read the refusal otherwise.
    headers: { 'content-type': 'application/json', 'access-control-allow-origin': '*' },
    body: JSON.stringify(body),
    isBase64Encoded: false,
  }
}

const tooLate = (event: GatewayEvent): GatewayResult =>
  refusal(
    event,
    'storage.tooSlow',
    'The request took longer than 28 seconds. What it began may still be done: look before you send it again.',
  )
