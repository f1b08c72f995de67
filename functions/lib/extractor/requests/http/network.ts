import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { UserError } from '#lib/errors/errors.ts'
import { pathInside } from '#lib/paths/path-inside.ts'
import { AppendFile } from '../../tables/table-spool.ts'
import { type HttpResponse, type ResponseHeaders, tooLarge } from '../answers/http-response.ts'
import type { Masker } from '../masking/masker.ts'
import { checkHost, guardedLookup, type Resolve } from './address-guard.ts'
import { acceptEncoding, unpacked } from './decode-encodings.ts'
import { BodyError, type Outcome, toNetworkFailure, type Witness } from './network-failure.ts'
import type { Headers, OutgoingRequest } from './outgoing-request.ts'

export interface NetworkOptions {
  dispatcher: Dispatcher
  requestTimeoutSeconds: number
  bodyLimitBytes: number
  signal: AbortSignal
  guard: boolean
  allowedPrivateHosts?: readonly string[] | undefined
  masker: Masker
  /** Sees what is sent, and what comes. */
  witness: Witness | undefined
}

/**
 * Sends one request and reads its whole answer, unpacked.
 *
 * @param spillTo folder for large bodies
 * @throws UserError when the body is too large, the address is refused or the request cannot be sent
 */
export const sendOverNetwork = async (
  request: OutgoingRequest,
  spillTo: string | undefined,
  options: NetworkOptions,
): Promise<Outcome> => {
  const { guard, allowedPrivateHosts, witness, masker } = options
  if (guard) checkHost(request.url.hostname, allowedPrivateHosts)
  if (witness === undefined) return send(request, spillTo, options)
  // What is shown of an exchange is made of its whole body
  return witness({ request, network: () => send(request, undefined, options), mask: masker.mask })
}

const send = async (
  request: OutgoingRequest,
  spillTo: string | undefined,
  options: NetworkOptions,
): Promise<Outcome> => {
  try {
    const { status, headers, ...packed } = await collectResponse(request, spillTo, options)
    // Lines of one name are one list (RFC 9110, 5.3)
    const encoding = [headers['content-encoding'] ?? []].flat().join() || undefined
    const { body, file } = await unpacked(packed, encoding, options.bodyLimitBytes)
    return { status, headers, body, file, url: request.url.href }
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

/**
 * Sends a request and collects the response, its body not yet decoded. On the dispatcher itself rather than by its `request`: whole bodies
 * need no stream, and streams cost as much as the rest of a small page.
 *
 * @param spillTo a folder for bodies of successful responses that are too large for memory. Without it all stay there
 * @throws Error of the network as undici gives it; with name `TimeoutError` when it took too long
 */
const collectResponse = (
  request: OutgoingRequest,
  spillTo: string | undefined,
  { dispatcher, signal, bodyLimitBytes: limitBytes, requestTimeoutSeconds }: NetworkOptions,
): Promise<Omit<HttpResponse, 'url'>> =>
  new Promise((resolve, reject) => {
    const body = new CollectedBody(spillTo)
    let status = 0
    let headers: ResponseHeaders = {}
    let controller: Dispatcher.DispatchController | undefined
    let failed: Error | undefined

    const settle = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
    const fail = (error: Error): void => {
      if (failed !== undefined) return
      failed = error
      settle()
      body.discard()
      reject(error)
      controller?.abort(error)
    }
    const abort = (): void => fail(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
    const timer = setTimeout(
      () => fail(new DOMException('Operation timed out', 'TimeoutError')),
      Math.ceil(requestTimeoutSeconds * 1000),
    )

    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort)
    const { url, method, body: content = null } = request
    const sent = {
      origin: url.origin,
      path: url.target,
      method,
      headers: withOwnHeaders(request.headers),
      body: content,
    }
    dispatcher.dispatch(sent, {
      onRequestStart: started => {
        controller = started
        if (failed !== undefined) started.abort(failed)
      },
      onResponseStart: (_, statusCode, given) => {
        if (statusCode < 200) return // informational
        status = statusCode
        headers = given
        if (Number(given['content-length']) > limitBytes) fail(tooLarge(limitBytes))
      },
      onResponseData: (_, chunk) => {
        if (failed !== undefined) return
        if (body.bytes + chunk.length > limitBytes) return fail(tooLarge(limitBytes))
        try {
          body.add(chunk, status)
        } catch (error) {
          fail(error instanceof Error ? error : new Error(String(error))) // the disk is full, for one
        }
      },
      onResponseEnd: () => {
        if (failed !== undefined) return
        if (isReset) return fail(new BodyError('The connection was reset', { cause: reset() }))
        settle()
        resolve({ status, headers, ...body.finish() })
      },
      onResponseError: (_, error) =>
        fail(status === 0 ? error : new BodyError(error.message, { cause: error })),
    })
  })

const reset = (): Error => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })

/** A body that is larger goes to a file while it comes. */
export const BODY_IN_MEMORY_BYTES = 4 * 1024 * 1024

/** A body while it comes: in memory, or from some size on in a file, when there is a folder for it. */
class CollectedBody {
  readonly #folder: string | undefined
  #chunks: Buffer[] = []
  #file: AppendFile | undefined
  bytes = 0

  constructor(folder: string | undefined) {
    this.#folder = folder
  }

  /** @param status bodies of errors stay in memory, where messages and rules read them */
  add(chunk: Buffer, status: number): void {
    this.bytes += chunk.length
    if (this.#file !== undefined) {
      this.#file.write(chunk)
      return
    }
    this.#chunks.push(chunk)
    if (this.#folder === undefined || status >= 300 || this.bytes <= BODY_IN_MEMORY_BYTES) return
    mkdirSync(this.#folder, { recursive: true })
    this.#file = new AppendFile(pathInside(this.#folder, randomUUID()))
    for (const early of this.#chunks) this.#file.write(early)
  }

  finish(): { body: Buffer; file?: string } {
    this.#file?.finish()
    const [only] = this.#chunks
    const body = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks)
    return { body, ...(this.#file === undefined ? {} : { file: this.#file.path }) }
  }

  discard(): void {
    this.#chunks = []
    if (this.#file !== undefined) rmSync(this.#file.path, { force: true })
  }
}

export interface DispatcherOptions {
  connectTimeoutSeconds: number
  requestTimeoutSeconds: number
  /** PEM; replaces the trust store. */
  caCertificate?: string | undefined
  /** PEM certificate followed by its key. */
  clientCertificate?: string | undefined
  guard?: boolean
  allowedPrivateHosts?: readonly string[] | undefined
  /** Connections per origin. */
  connections: number
  resolve?: Resolve | undefined
}

/** Keep-alive connections, HTTP/2 where the server offers it. */
export const createDispatcher = (options: DispatcherOptions): Dispatcher =>
  new Agent({
    allowH2: true,
    connections: options.connections,
    headersTimeout: options.requestTimeoutSeconds * 1000,
    bodyTimeout: options.requestTimeoutSeconds * 1000,
    maxHeaderSize: 300 * 1024, // what curl reads of the headers of one response
    connectTimeout: options.connectTimeoutSeconds * 1000,
    connect: noticingResets({
      allowH2: true,
      timeout: options.connectTimeoutSeconds * 1000,
      ca: options.caCertificate,
      cert: options.clientCertificate,
      key: options.clientCertificate,
      ...(options.guard ? { lookup: guardedLookup(options.resolve, options.allowedPrivateHosts) } : {}),
    }),
  })

/**
 * Whether the connection of the response that ends just now is being reset. undici takes a reset for the end of a body whose length nobody
 * told; an end it may be, but not of all of it.
 */
let isReset = false

/** The error of a socket is noticed here first, and then by undici, which ends the response in the same step. */
const noticingResets = (options: buildConnector.BuildOptions): buildConnector.connector => {
  const connect = buildConnector(options)
  return (target, callback) =>
    connect(target, (...[error, socket]) => {
      socket?.on('error', (cause: NodeJS.ErrnoException) => {
        isReset = cause.code === 'ECONNRESET'
        process.nextTick(() => {
          isReset = false
        })
      })
      if (error === null) callback(null, socket)
      else callback(error, null)
    })
}
