import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { UserError } from '#lib/errors/errors.ts'
import { collectResponse } from './collect-response.ts'
import { acceptEncoding, decoded, decodeFile, isGzip } from './decode-encodings.ts'
import { type Outcome, toNetworkFailure } from './network-failure.ts'
import type { Headers, OutgoingRequest } from './outgoing-request.ts'
export interface NetworkOptions {
  dispatcher: Dispatcher
  requestTimeoutSeconds: number
  bodyLimitBytes: number
  signal: AbortSignal
}

/**
 * Sends one request and reads its whole answer, unpacked.
 *
 * @throws UserError when the body is too large, the address is refused or the request cannot be sent
 */
export const sendOverNetwork = async (
  request: OutgoingRequest,
  { spillTo, isJson }: { spillTo: string | undefined; isJson: boolean },
  options: NetworkOptions,
): Promise<Outcome> => {
  try {
    const { status, headers, body, file } = await collectResponse(options.dispatcher, {
      request: {
        origin: request.url.origin,
        path: request.url.target,
        method: request.method,
        headers: withOwnHeaders(request.headers),
        body: request.body ?? null,
      },
      limitBytes: options.bodyLimitBytes,
      timeoutMs: Math.ceil(options.requestTimeoutSeconds * 1000),
      signal: options.signal,
      spillTo,
    })
    // Lines of one name are one list (RFC 9110, 5.3)
    const encoding = [headers['content-encoding'] ?? []].flat().join() || undefined
    if (file !== undefined) await decodeFile(file, encoding, options.bodyLimitBytes)
    // Files of gzip come without a word, too; no JSON begins so
    const packed = encoding ?? (isJson && isGzip(body) ? 'gzip' : undefined)
    const whole =
      file !== undefined || packed === undefined
        ? body
        : Buffer.concat(await Array.fromAsync(decoded(Readable.from([body]), packed, options.bodyLimitBytes)))
    return { status, headers, body: whole, file, url: request.url.href }
  } catch (error) {
    if (error instanceof UserError) throw error
    options.signal.throwIfAborted()
    const refused = userErrorWithin(error)
    if (refused !== undefined) throw refused
    const failure = toNetworkFailure(error)
    if (failure !== undefined) return failure
    if ((error as NodeJS.ErrnoException).code === 'UND_ERR_INVALID_ARG') {
      // thrown errors of undici carry a code
      throw new UserError(
        'extractor.request.invalid',
        `The request cannot be sent: ${(error as Error).message}`,
        { cause: error },
      )
    }
    throw error
  }
}

const withOwnHeaders = (headers: Headers): Headers => {
  const names = new Set(Object.keys(headers).map(name => name.toLowerCase()))
  const own: Headers = {}
  if (!names.has('user-agent')) own['User-Agent'] = 'millrace-extractor'
  if (!names.has('accept-encoding')) own['Accept-Encoding'] = acceptEncoding
  const sent = Object.entries(headers).filter(([name]) => !ofTheConnection.has(name.toLowerCase()))
  return { ...own, ...Object.fromEntries(sent) }
}

/** Set by the connection itself; configured ones would contradict it. */
const ofTheConnection = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'expect',
])

const userErrorWithin = (error: unknown): UserError | undefined => {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof UserError) return current
  }
  return undefined
}
