import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../auth/caller.ts'
import { S3Error } from '../errors.ts'
import type { RequestTarget } from './request-target.ts'

/** How the body arrives: plain or in aws-chunked framing, and the checksums that the client promised. */
export interface BodyForm {
  /** Lower-case hex SHA-256 that the body must have. */
  sha256?: string
  /** aws-chunked framing. */
  chunked?: { hasTrailer: boolean; isSigned: boolean }
  /** For a body whose length no header says: the bytes that it may have. */
  size?: { least: number; most: number }
}

/** One authenticated request to S3. */
export interface S3Request {
  id: string
  method: string
  target: RequestTarget
  /** Lower-case names; repeated headers joined with `,`. */
  headers: Readonly<Record<string, string>>
  caller: Caller
  bodyForm: BodyForm
  /** The raw body. The first call sends `100 Continue` to a waiting client. */
  rawBody: () => AsyncIterable<Buffer>
  sourceIp: string
  /** `http://127.0.0.1:9000`: the beginning of addresses in the answer. */
  origin: string
}

/** The value of a query argument; the first when there are several. */
export const queryValue = ({ target }: S3Request, name: string): string | undefined => target.query[name]?.[0]

export const bucketOf = ({ target }: S3Request): string => {
  if (target.bucket === undefined) throw new Error('The router gave a bucket operation a request without one')
  return target.bucket
}

export const keyOf = ({ target }: S3Request): string => {
  if (target.key === undefined) throw new Error('The router gave an object operation a request without a key')
  return target.key
}

/** Headers as the client sent them. Node joins repeated ones with `, `, which is not what is signed. */
export const readHeaders = (message: IncomingMessage): Record<string, string> => {
  const headers: Record<string, string> = Object.create(null)
  for (let i = 0; i + 1 < message.rawHeaders.length; i += 2) {
    // Names and values alternate.
    const name = (message.rawHeaders[i] as string).toLowerCase()
    const value = message.rawHeaders[i + 1] as string
    headers[name] = headers[name] === undefined ? value : `${headers[name]},${value}`
  }
  return headers
}

/** Reads the body without closing the connection when reading stops early: the client still needs an answer. */
export const openBody = (
  message: IncomingMessage,
  response: ServerResponse,
  isWaitingForContinue: boolean,
): RequestBody => {
  const body = {
    isOpen: false,
    read: () => {
      if (body.isOpen) throw new Error('The body has been read already')
      body.isOpen = true
      if (isWaitingForContinue) response.writeContinue()
      return readPieces(message)
    },
  }
  return body
}

interface RequestBody {
  /** Whether reading has begun. */
  readonly isOpen: boolean
  read: () => AsyncIterable<Buffer>
}

async function* readPieces(message: IncomingMessage): AsyncIterable<Buffer> {
  try {
    yield* message.iterator({ destroyOnReturn: false })
  } catch (error) {
    // The connection broke during the body; nobody will read the answer.
    if (message.errored !== null) throw new S3Error('IncompleteBody')
    throw error
  }
}
