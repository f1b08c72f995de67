import type { IncomingMessage, ServerResponse } from 'node:http'
import { readWhole } from '#lib/read-whole.ts'
import { ServiceError } from '../service-error.ts'

/** API Gateway takes 10 MB (Developer Guide, "Quotas for HTTP APIs"). */
const MAX_BODY_BYTES = 10 * 1024 * 1024

/** Lambda takes 6 MB of event (Developer Guide, "Lambda quotas"). */
const MAX_EVENT_BYTES = 6 * 1024 * 1024

/**
 * What functions read of the event of payload format 2.0 that API Gateway's HTTP API makes of a request.
 *
 * It is written from what AWS documents and from events that were captured, and shares no code with the function that
 * reads it: a misreading would stand on both sides otherwise.
 */
export const readGatewayEvent = async (request: IncomingMessage): Promise<object> => {
  const { path, query } = splitTarget(request.url ?? '/')
  const { headers, cookies } = readHeaders(request)
  const body = await readWhole(request, MAX_BODY_BYTES, tooLarge)
  const isText = TEXT.test(headers['content-type'] ?? '')
  const { host = '', 'x-forwarded-for': forwarded } = headers
  const { socket } = request
  const sourceIp = socket.remoteAddress ?? ''
  const event = {
    rawPath: path,
    rawQueryString: query,
    cookies,
    headers: {
      ...headers,
      'content-length': String(body.length),
      'x-forwarded-for': forwarded === undefined ? sourceIp : `${forwarded}, ${sourceIp}`,
      'x-forwarded-proto': 'encrypted' in socket && socket.encrypted === true ? 'https' : 'http',
    },
    requestContext: { domainName: host.replace(/:\d+$/, ''), http: { method: request.method } },
    ...(body.length > 0 && { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  }
  if (Buffer.byteLength(JSON.stringify(event)) > MAX_EVENT_BYTES) throw tooLarge()
  return event
}

/** All other bodies come in base64 (Developer Guide, "Working with binary media types for HTTP APIs"). */
const TEXT = /^(text\/|application\/(json|javascript|xml)\b)/i

const tooLarge = () => new ServiceError('Refused', 'The request is too large for the gateway.', 413)

/**
 * The gateway decodes a path twice, and cuts it at a question mark that the first decoding brings out. A path that is
 * no encoded text then is refused: `%25` before anything but two hexadecimal digits. The query stays as it was sent.
 */
const splitTarget = (target: string): { path: string; query: string } => {
  const [sent = '', query = ''] = target.split(/\?(.*)/s)
  try {
    const [path = ''] = decodeURIComponent(sent).split('?', 1)
    return { path: decodeURIComponent(path), query }
  } catch {
    throw new ServiceError('Refused', 'Bad Request')
  }
}

/** Repeated headers are joined by commas, cookies are a list of their own, and names are in small letters. */
const readHeaders = ({ rawHeaders, headers: { host } }: IncomingMessage) => {
  const headers: Record<string, string> = {}
  const cookies: string[] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [sentName = '', value = ''] = rawHeaders.slice(index, index + 2)
    const name = sentName.toLowerCase()
    if (name === 'cookie') cookies.push(...value.split(';').flatMap(cookie => cookie.trim() || []))
    else if (!OF_THE_CONNECTION.has(name) && !name.startsWith(':'))
      headers[name] = name in headers ? `${headers[name]},${value}` : value
  }
  // The name that the server trusts, which is not always the one that was sent.
  if (host !== undefined) headers['host'] = host
  return { headers, cookies }
}

const OF_THE_CONNECTION: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'transfer-encoding'])

/** What the function answers, payload format 2.0. */
export interface GatewayResult {
  statusCode: number
  headers?: Readonly<Record<string, string>>
  cookies?: readonly string[]
  body: string
  isBase64Encoded?: boolean
}

/** Answers a request with the result of the function, as API Gateway does: each cookie is a header of its own. */
export const sendGatewayResult = (
  { statusCode, headers = {}, cookies = [], body, isBase64Encoded }: GatewayResult,
  response: ServerResponse,
): void => {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  if (cookies.length > 0) response.setHeader('set-cookie', cookies)
  response.writeHead(statusCode)
  response.end(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'))
}
