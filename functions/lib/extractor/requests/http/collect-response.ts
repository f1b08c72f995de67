import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import type { Dispatcher } from 'undici'
import { pathInside } from '#lib/paths/path-inside.ts'
import { BODY_IN_MEMORY_BYTES } from '../../config/response-schema.ts'
import { AppendFile } from '../../tables/table-spool.ts'
import { type ResponseHeaders, tooLarge } from '../answers/http-response.ts'
import { isBeingReset } from './dispatcher.ts'

interface CollectOptions {
  request: Dispatcher.DispatchOptions
  /** Bytes that a body may have on the wire. */
  limitBytes: number
  /** For the whole of it, headers and body. */
  timeoutMs: number
  signal: AbortSignal
  /** A folder for bodies of successful responses that are too large for memory. Without it all stay there. */
  spillTo?: string | undefined
}

/** A response with its raw body, not yet decoded. */
interface CollectedResponse {
  status: number
  headers: ResponseHeaders
  body: Buffer
  /** The whole body, of which `body` is the beginning. */
  file?: string
}

/** An error that came after the headers did, so that the reply was not empty. */
export class BodyError extends Error {
  override readonly name = 'BodyError'
}

/**
 * Sends a request and collects the response. On the dispatcher itself rather than by its `request`: whole bodies need no
 * stream, and streams cost as much as the rest of a small page.
 *
 * @throws Error of the network as undici gives it; with name `TimeoutError` when it took too long
 */
export const collectResponse = (
  dispatcher: Dispatcher,
  options: CollectOptions,
): Promise<CollectedResponse> =>
  new Promise((resolve, reject) => {
    const { signal, limitBytes } = options
    const body = new CollectedBody(options.spillTo)
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
      options.timeoutMs,
    )

    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort)
    dispatcher.dispatch(options.request, {
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
        if (isBeingReset()) return fail(new BodyError('The connection was reset', { cause: reset() }))
        settle()
        resolve({ status, headers, ...body.finish() })
      },
      onResponseError: (_, error) =>
        fail(status === 0 ? error : new BodyError(error.message, { cause: error })),
    })
  })

const reset = (): Error => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })

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
      this.#file.writeBytes(chunk)
      return
    }
    this.#chunks.push(chunk)
    if (this.#folder === undefined || status >= 300 || this.bytes <= BODY_IN_MEMORY_BYTES) return
    mkdirSync(this.#folder, { recursive: true })
    this.#file = new AppendFile(pathInside(this.#folder, randomUUID()))
    for (const early of this.#chunks) this.#file.writeBytes(early)
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
