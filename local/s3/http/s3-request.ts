import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../auth/caller.ts'
import { invalidArgument, S3Error } from '../errors.ts'

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

/** What the request line and the Host header point to. */
export interface RequestTarget {
  /** Decoded path, as it was sent: `/bucket/key` or, addressed by host, `/key`. */
  path: string
  bucket: string | undefined
  key: string | undefined
  /** Decoded, in order; a bare `?uploads` has the value ''. */
  query: Record<string, string[]>
}

// S3 User Guide, "Naming objects": 1,024 bytes of UTF-8.
export const maxKeyBytes = 1024

/** Reads the target of a request. Throws InvalidURI for escapes that are not UTF-8, KeyTooLongError. */
export const parseRequestTarget = (url: string, host: string): RequestTarget => {
  const questionMark = url.indexOf('?')
  const rawPath = questionMark === -1 ? url : url.slice(0, questionMark)
  const path = decode(rawPath)
  if (!path.startsWith('/')) throw new S3Error('InvalidURI')
  const query = parseQuery(questionMark === -1 ? '' : url.slice(questionMark + 1))

  const hostBucket = bucketOfHost(host)
  if (hostBucket !== undefined) return { path, bucket: hostBucket, key: nonEmptyKey(path.slice(1)), query }

  const slash = path.indexOf('/', 1)
  const bucket = slash === -1 ? path.slice(1) : path.slice(1, slash)
  const key = slash === -1 ? undefined : nonEmptyKey(path.slice(slash + 1))
  return { path, bucket: bucket === '' ? undefined : bucket, key, query }
}

const nonEmptyKey = (key: string): string | undefined => {
  if (Buffer.byteLength(key) > maxKeyBytes)
    throw new S3Error('KeyTooLongError', undefined, {
      Size: String(Buffer.byteLength(key)),
      MaxSizeAllowed: String(maxKeyBytes),
    })
  return key === '' ? undefined : key
}

/** Virtual-host addressing: `bucket.localhost:9000`, `bucket.s3.us-east-1.amazonaws.com`. Other names are ours. */
const bucketOfHost = (host: string): string | undefined => {
  const name = host.replace(/:\d+$/, '').toLowerCase()
  const [, bucket] = /^(.+)\.(?:localhost|s3(?:[.-][a-z0-9-]+)?\.amazonaws\.com)$/.exec(name) ?? []
  return bucket
}

const parseQuery = (text: string): Record<string, string[]> => {
  // No prototype: a client may send `?constructor`.
  const query: Record<string, string[]> = Object.create(null)
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decodeQuery(equals === -1 ? pair : pair.slice(0, equals))
    const value = equals === -1 ? '' : decodeQuery(pair.slice(equals + 1))
    query[name] = [...(query[name] ?? []), value]
  }
  return query
}

const decodeQuery = (text: string): string => decode(text.replaceAll('+', ' '))

export const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new S3Error('InvalidURI')
  }
}

/**
 * The headers that a presigned URL carries in its query.
 *
 * Signers move `x-amz-*` headers there. S3 reads metadata and the ACL from the query as if they were headers and ignores
 * the rest. It must: the SDK for JavaScript puts the checksum of an empty body into every URL for a PUT.
 */
export const readHoistedHeaders = (query: Readonly<Record<string, string[]>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query)
      .map(([name, [value = '']]): [string, string] => [name.toLowerCase(), value])
      .filter(([name]) => name === 'x-amz-acl' || name.startsWith('x-amz-meta-'))
      .map(([name, value]) => {
        if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || hasControls(value))
          throw invalidArgument('This cannot be the name or value of a header', name, value)
        // In a header each byte is a character.
        return [name, Buffer.from(value).toString('latin1')]
      }),
  )

/** Whether a header cannot hold the text. */
export const hasControls = (value: string): boolean => [...value].some(char => char < ' ' || char === '\x7f')
