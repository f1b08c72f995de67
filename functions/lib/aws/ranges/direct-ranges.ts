import { getCanonicalQuery } from '@smithy/signature-v4'
import { type ReceiveBody, receiveBody } from '../multipart/source-object.ts'
import { RangeConnection } from './range-connection.ts'

/** Far longer than S3 takes to answer. Without a limit a dead peer would never be noticed. */
const SILENCE_MS = 60_000

type HttpRequest = Parameters<typeof getCanonicalQuery>[0]

export interface DirectRanges {
  receive: ReceiveBody
  close: () => void
}

/**
 * Receives ranges over kept connections straight into memory. The SDK signs the requests. Whatever is not simply the range, such as
 * an error, a redirect or a connection that cannot be made, is requested again by the SDK, which knows how to retry and what to report.
 */
export const directRanges = ({ silenceMs = SILENCE_MS } = {}): DirectRanges => {
  const idle = new Map<string, RangeConnection[]>()
  const open = new Set<RangeConnection>()

  const connectionTo = ({ protocol, hostname, port }: HttpRequest) => {
    const isSecure = protocol === 'https:'
    const origin = { isSecure, hostname, port: port ?? (isSecure ? 443 : 80) }
    const key = JSON.stringify(origin)
    const kept = idle.get(key) ?? []
    idle.set(key, kept)
    let connection = kept.pop()
    while (connection?.isOpen === false) connection = kept.pop()
    connection ??= new RangeConnection(origin, silenceMs)
    open.add(connection)
    return { connection, kept }
  }

  const read = async (request: HttpRequest, target: Uint8Array, onBytes: (count: number) => void) => {
    const { connection, kept } = connectionTo(request)
    try {
      await connection.read(textOf(request), target, onBytes)
    } finally {
      if (connection.isOpen) kept.push(connection)
      else open.delete(connection)
    }
  }

  return {
    receive: (source, command, target, onBytes) => {
      let received = 0
      const count = (bytes: number): void => {
        received += bytes
        onBytes(bytes)
      }
      command.middlewareStack.add(
        next => async args => {
          // In this step of the SDK the request is an HTTP request.
          const request = args.request as HttpRequest
          if (!isPlain(request)) return next(args)
          try {
            await read(request, target, count)
          } catch {
            // Half a body is no failure here: the caller sees what is missing and requests it.
            if (received === 0) return next(args)
          }
          return { response: { statusCode: 206, headers: {} }, output: { $metadata: {} } }
        },
        { step: 'deserialize', name: 'directRanges' },
      )
      return receiveBody(source, command, target, count)
    },
    close: () => {
      for (const connection of open) connection.close()
      open.clear()
      idle.clear()
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
