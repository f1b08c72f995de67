import * as z from 'zod/mini'
import { foreignCode } from '../errors/codes.ts'
import { TransientError, UserError } from '../errors/errors.ts'
import { parseJson } from '../json/parse-json.ts'
import { type Exchange, exchange, type Reply } from './exchange.ts'
import { type Handling, PREFER_NO_WAIT } from './prefer-header.ts'
import { errorBodySchema } from './wire.ts'

export interface Connection {
  /** Address of the service, without `/v2/storage`. */
  baseUrl: string
  token: string
  /** Given: the token is the stack's own, which may have been replaced. Called when the service refuses it. */
  readTokenAgain?: (() => Promise<string>) | undefined
  /** Requests go to this branch. Default: the default branch. */
  branchId?: number | undefined
  /** Upper bound for one request, reply included. Default 60. */
  timeoutSeconds?: number
  /** Requests about jobs are answered at once: the caller waits between them. Default: the service waits up to a second. */
  waitsForJobs?: boolean | undefined
  /** What sends requests. Default: the network. */
  exchange?: (sent: Exchange) => Promise<Reply>
}

export interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below `/v2/storage/`, or from the root with a slash in front, with its query. Segments are percent-encoded. */
  path: string
  body?: unknown
  /** Sent as `Idempotency-Key`: a repeated POST finds its earlier result. Services that do not know it ignore it. */
  idempotencyKey?: string | undefined
  /** Sent as `X-KBC-RunId`: the service stores it with what the request creates. */
  runId?: string | undefined
  /** What becomes of a configuration that cannot run. Services that do not know the wish store it. */
  handling?: Exclude<Handling, 'unsaid'> | undefined
}

/**
 * Sends one request, without retries: Step Functions retries.
 *
 * Throws `TransientError` for 429, 5xx, time-outs and broken connections. Throws `UserError` with the service's own
 * code and status for the other 4xx. No message holds the token.
 */
export const request = async <Result>(
  connection: Connection,
  apiRequest: ApiRequest,
  schema: z.core.$ZodType<Result>,
): Promise<Result> => (await requestWithAdvice(connection, apiRequest, schema)).result

/** {@link request}, with the seconds after which the service advises to ask again, if it does, and the query of the next part of a list. */
export const requestWithAdvice = async <Result>(
  connection: Connection,
  apiRequest: ApiRequest,
  schema: z.core.$ZodType<Result>,
): Promise<{ result: Result; retryAfterSeconds: number | undefined; next: string | undefined }> => {
  const reply = await sendWithOwnToken(connection, apiRequest)
  if (reply.status < 200 || reply.status > 299) throw failure(reply, apiRequest)
  const advice = { retryAfterSeconds: retryAfterSeconds(reply), next: nextOf(reply) }
  if (reply.status === 204) return { result: z.parse(schema, undefined), ...advice }
  const parsed = z.safeParse(schema, readJson(reply, apiRequest))
  if (!parsed.success) {
    throw new Error(`Unexpected reply to ${describe(apiRequest)}: ${z.prettifyError(parsed.error)}`)
  }
  return { result: parsed.data, ...advice }
}

/**
 * Sends a request. When the stack's own token is refused, it is read again and the request is sent once more. That token
 * is no matter of the user, so what is refused then is an error that may pass: containers of the service may know a new
 * token some seconds later.
 */
const sendWithOwnToken = async (connection: Connection, apiRequest: ApiRequest): Promise<Reply> => {
  const reply = await send(connection, apiRequest)
  if (reply.status !== 401 || !connection.readTokenAgain) return reply
  connection.token = await connection.readTokenAgain()
  const again = await send(connection, apiRequest)
  if (again.status !== 401) return again
  throw new TransientError(
    'storage.ownTokenRefused',
    `${describe(apiRequest)}: the service refuses the stack's own token, as its secret has it now.`,
  )
}

const send = async (
  connection: Connection,
  { method, path, body, idempotencyKey, runId, handling }: ApiRequest,
): Promise<Reply> => {
  const branch = connection.branchId === undefined ? '' : `branch/${connection.branchId}/`
  const place = path.startsWith('/') ? path : `/v2/storage/${branch}${path}`
  const url = `${connection.baseUrl.replace(/\/+$/, '')}${place}`
  try {
    const reply = await (connection.exchange ?? exchange)({
      url,
      method,
      headers: {
        'User-Agent': 'millrace',
        'X-StorageApi-Token': connection.token,
        ...(connection.waitsForJobs ? PREFER_NO_WAIT : {}),
        ...(handling === undefined ? {} : { Prefer: `handling=${handling}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
        ...(runId === undefined ? {} : { 'X-KBC-RunId': runId }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      timeoutSeconds: connection.timeoutSeconds ?? 60,
    })
    // A redirect would carry the token elsewhere.
    if (redirects.has(reply.status)) throw new Error('It answered with a redirect')
    return reply
  } catch (cause) {
    const asked = `${describe({ method, path })} got no answer from ${connection.baseUrl}`
    throw new TransientError('storage.unreachable', asked, { cause })
  }
}

const redirects = new Set([301, 302, 303, 307, 308])

const readJson = ({ text }: Reply, apiRequest: ApiRequest): unknown => {
  try {
    if (text === undefined) throw new Error('The reply ended too early')
    return parseJson(text)
  } catch (cause) {
    throw new TransientError('storage.brokenReply', `${describe(apiRequest)} got half a reply or no JSON`, {
      cause,
    })
  }
}

const failure = (response: Reply, apiRequest: ApiRequest): UserError | TransientError => {
  const body = errorBodySchema.safeParse(jsonOrNothing(response.text))
  const { error, code, exceptionId } = body.success ? body.data : {}
  const message = error ?? `${describe(apiRequest)} answered ${response.status}`
  if (response.status === 429 || response.status >= 500) {
    return new TransientError(foreignCode(code ?? `storage.http${response.status}`), message, {
      retryAfterSeconds: retryAfterSeconds(response),
      params: { status: response.status, exceptionId },
    })
  }
  return new UserError(foreignCode(code ?? `storage.http${response.status}`), message, {
    status: response.status,
    params: { exceptionId },
  })
}

const jsonOrNothing = (text = ''): unknown => {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

const retryAfterSeconds = ({ headers }: Reply): number | undefined => {
  const header = headers['retry-after']
  return header !== undefined && /^\d+$/.test(header) ? Number(header) : undefined
}

/** A list that no reply had room or time for names the address of its next items. Its query counts, never its host. */
const nextOf = ({ headers }: Reply): string | undefined =>
  /<[^>?]*\?([^>]*)> *; *rel="?next"?/.exec(String(headers['link'] ?? ''))?.[1]

const describe = ({ method, path }: Pick<ApiRequest, 'method' | 'path'>): string =>
  `${method} ${path.split('?', 1)[0] || 'the index'}`
