import { connect, type OnReadOpts, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectSecurely } from 'node:tls'
import { getCanonicalQuery } from '@smithy/signature-v4'
import { type ReceiveBody, receiveBody } from './source-object.ts'

/** Far longer than S3 takes to answer. Without a limit a dead peer would never be noticed. */
const SILENCE_MS = 60_000

type HttpRequest = Parameters<typeof getCanonicalQuery>[0]

interface DirectRanges {
  receive: ReceiveBody
  close: () => void
}

/**
 * Receives ranges over kept connections straight into memory. The SDK signs the requests. Whatever is not simply the whole range, such as
 * an error, a redirect or a connection that breaks, is requested again by the SDK, which knows how to retry and what to report.
 */
export const directRanges = ({ silenceMs = SILENCE_MS } = {}): DirectRanges => {
  const kept = new Map<string, RangeConnection[]>()

  const connectionTo = ({ protocol, hostname, port }: HttpRequest): RangeConnection => {
    const isSecure = protocol === 'https:'
    const origin = { isSecure, hostname, port: port ?? (isSecure ? 443 : 80) }
    const key = JSON.stringify(origin)
    const open = (kept.get(key) ?? []).filter(({ isOpen }) => isOpen)
    const idle = open.find(({ isIdle }) => isIdle)
    const connection = idle ?? new RangeConnection(origin, silenceMs)
    kept.set(key, idle ? open : [...open, connection])
    return connection
  }

  return {
    receive: (source, command, target, onBytes) => {
      command.middlewareStack.add(
        next => async args => {
          // In this step of the SDK the request is an HTTP request.
          const request = args.request as HttpRequest
          if (!isPlain(request)) return next(args)
          try {
            await connectionTo(request).read(textOf(request), target)
          } catch {
            return next(args)
          }
          onBytes(target.length)
          return { response: { statusCode: 206, headers: {} }, output: { $metadata: {} } }
        },
        { step: 'deserialize', name: 'directRanges' },
      )
      return receiveBody(source, command, target, onBytes)
    },
    close: () => {
      for (const connection of [...kept.values()].flat()) connection.close()
    },
  }
}

const textOf = (request: HttpRequest): string => {
  const query = getCanonicalQuery(request)
  const lines = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `GET ${request.path}${query === '' ? '' : `?${query}`} HTTP/1.1\r\n${lines.join('')}\r\n`
}

/** Header values come from other services too, as part of credentials: none may end its line. */
const isPlain = ({ headers, path }: HttpRequest): boolean =>
  [path, ...Object.keys(headers), ...Object.values(headers)].every(text => /^[\x20-\x7e]*$/.test(text))

interface Origin {
  isSecure: boolean
  hostname: string
  port: number
}

interface Reading {
  target: Uint8Array
  /** Bytes of the body that have come; undefined while the head of the answer comes. */
  filled: number | undefined
  resolve: () => void
  reject: (error: Error) => void
}

const MAX_HEAD_BYTES = 16 * 1024

/**
 * A kept HTTP/1.1 connection that reads bodies straight into the memory of its caller.
 *
 * Node's clients make a buffer for every read of a socket, at most 64 KiB each; for a large download these and their
 * collection cost more than all the rest. This one knows a single answer: 206 with as many bytes as were asked for
 * (RFC 9112, "Message Body Length"). With any other the reading fails and the connection is closed, before the target is touched.
 */
class RangeConnection {
  isOpen = true
  readonly #socket: Socket
  readonly #head = Buffer.allocUnsafeSlow(MAX_HEAD_BYTES)
  #headBytes = 0
  #closesAfterwards = false
  #reading: Reading | undefined

  /** `silenceMs`: the connection ends when nothing arrives for so long. */
  constructor({ isSecure, hostname, port }: Origin, silenceMs: number) {
    const onread: OnReadOpts = { buffer: () => this.#room(), callback: count => this.#take(count) }
    const options: ConnectionOptions & { onread: OnReadOpts } = { host: hostname, port, onread }
    this.#socket = isSecure
      ? connectSecurely({ ...options, servername: hostname })
      : connect({ ...options, host: hostname, port })
    this.#socket
      .setNoDelay()
      .setTimeout(silenceMs, () => this.close(`${hostname} sent nothing for ${silenceMs} ms`))
      .once('error', ({ message }) => this.close(message))
      .once('close', () => this.close(`${hostname} closed the connection`))
  }

  get isIdle(): boolean {
    return this.#reading === undefined
  }

  /** Sends a request and resolves when the body of its answer is in `target`, which has its length. One at a time. */
  read(request: string, target: Uint8Array): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#reading = { target, filled: undefined, resolve, reject }
    this.#headBytes = 0
    this.#socket.ref()
    this.#socket.write(request, 'latin1')
    return promise
  }

  close(reason = 'The connection was closed'): void {
    this.isOpen = false
    this.#socket.destroy()
    this.#reading?.reject(new Error(reason))
    this.#reading = undefined
  }

  /** Where the next bytes of the socket go. */
  #room(): Uint8Array {
    const { target, filled } = this.#reading ?? {}
    return target && filled !== undefined ? target.subarray(filled) : this.#head.subarray(this.#headBytes)
  }

  /** False stops reading. */
  #take(count: number): boolean {
    const reading = this.#reading
    if (!reading)
      this.close() // Nothing was asked for.
    else if (reading.filled === undefined) this.#takeHead(reading, count)
    else this.#fill(reading, reading.filled + count)
    return this.isOpen
  }

  #takeHead(reading: Reading, count: number): void {
    const { target } = reading
    this.#headBytes += count
    const received = this.#head.subarray(0, this.#headBytes)
    const end = received.indexOf('\r\n\r\n')
    const head = received.toString('latin1', 0, end)
    const body = received.subarray(end + 4)
    if (end === -1) {
      if (received.length === MAX_HEAD_BYTES) this.close('The head of the answer is too long')
    } else if (!isRange(head, target.length) || body.length > target.length)
      this.close('The answer is not the range that was asked for')
    else {
      this.#closesAfterwards = /^connection:.*\bclose\b/im.test(head)
      target.set(body)
      this.#fill(reading, body.length)
    }
  }

  #fill(reading: Reading, filled: number): void {
    reading.filled = filled
    if (filled < reading.target.length) return
    this.#reading = undefined
    this.#headBytes = 0
    this.#socket.unref() // While nothing is asked for, it keeps no process alive.
    reading.resolve()
    if (this.#closesAfterwards) this.close()
  }
}

/** Whether this is the head of a 206 whose body has this length. Names and values as in RFC 9112, "Field Syntax". */
const isRange = (head: string, bytes: number): boolean => {
  const lengths = [...head.matchAll(/^content-length:[ \t]*(\d+)[ \t]*$/gim)].map(([, length]) => length)
  return (
    /^HTTP\/1\.1 206 /.test(head) &&
    lengths.length === 1 &&
    Number(lengths[0]) === bytes &&
    !/^(transfer|content)-encoding:/im.test(head)
  )
}
