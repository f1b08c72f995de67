import type { IncomingMessage } from 'node:http'
import { requestOrigin } from '../../http/request-origin.ts'
import type { Caller } from '../auth/caller.ts'
import { invalidArgument, S3Error } from '../errors.ts'

/** What the request line and the Host header point to. */
interface RequestTarget {
  /** Decoded path, as it was sent: `/bucket/key` or, addressed by host, `/key`. */
  path: string
  /** '' when the request is for the service. */
  bucket: string
  /** '' when the request is for no object. */
  key: string
  /** Decoded, in order; a bare `?uploads` has the value ''. */
  query: Readonly<Record<string, string[]>>
}

/** A request whose caller is not known yet. */
export interface HttpRequest extends RequestTarget {
  id: string
  method: string
  /** Lower-case names; repeated headers joined with `,`. */
  headers: Readonly<Record<string, string>>
  /** The raw body. The first call sends `100 Continue` to a waiting client. */
  rawBody: () => AsyncIterable<Buffer>
  sourceIp: string
  /** `http://127.0.0.1:9000`: the beginning of addresses in the answer. */
  origin: string
}

/** What a signature covers of a request, besides its body. */
export type SignedRequest = Pick<HttpRequest, 'method' | 'headers' | keyof RequestTarget>

/** An authenticated request to S3. */
export interface S3Request extends HttpRequest {
  caller: Caller
  bodyForm: BodyForm
}

/** How the body arrives, and what it must be. */
interface BodyForm {
  /** Lower-case hex SHA-256. */
  sha256?: string
  /** aws-chunked framing. */
  chunked?: { hasTrailer: boolean; isSigned: boolean }
  /** For a body whose length no header says: the bytes that it may have. */
  size?: { least: number; most: number }
}

/** The value of a query argument; the first when there are several. */
export const queryValue = ({ query }: RequestTarget, name: string): string | undefined => query[name]?.[0]

/** Throws what `parseTarget` throws. */
export const readHttpRequest = (
  message: IncomingMessage,
  exchange: Pick<HttpRequest, 'id' | 'rawBody'>,
): HttpRequest => {
  const headers = readHeaders(message)
  return {
    ...exchange,
    ...parseTarget(message.url ?? '/', headers['host'] ?? ''),
    method: message.method ?? '',
    headers,
    sourceIp: message.socket.remoteAddress ?? '127.0.0.1',
    origin: requestOrigin(message),
  }
}

/** The request of a caller who is known. */
export const identified = (request: HttpRequest, caller: Caller): S3Request => {
  const { headers, query } = request
  const isPresigned = headers['authorization'] === undefined
  return {
    ...request,
    // A header wins over the same header in the URL.
    headers: isPresigned ? { ...readHoistedHeaders(query), ...headers } : headers,
    caller,
    bodyForm: readBodyForm(headers['x-amz-content-sha256'] ?? query['X-Amz-Content-Sha256']?.[0]),
  }
}

/** Headers as the client sent them. Node joins repeated ones with `, `, which is not what is signed. */
const readHeaders = ({ headersDistinct }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(',')]))

// S3 User Guide, "Naming objects": 1,024 bytes of UTF-8.
const maxKeyBytes = 1024

/** Reads the target of a request. Throws InvalidURI for escapes that are not UTF-8, KeyTooLongError. */
const parseTarget = (url: string, host: string): RequestTarget => {
  const [rawPath = '', rawQuery = ''] = url.split(/\?(.*)/s)
  const path = decode(rawPath)
  if (!path.startsWith('/')) throw new S3Error('InvalidURI')
  const query = parseQuery(rawQuery)
  const hostBucket = bucketOfHost(host)
  const [bucket = '', key = ''] =
    hostBucket === undefined ? path.slice(1).split(/\/(.*)/s) : [hostBucket, path.slice(1)]
  checkKey(key)
  return { path, bucket, key, query }
}

export const checkKey = (key: string): void => {
  const size = Buffer.byteLength(key)
  if (size > maxKeyBytes)
    throw new S3Error('KeyTooLongError', undefined, {
      Size: String(size),
      MaxSizeAllowed: String(maxKeyBytes),
    })
}

/** Virtual-host addressing: `bucket.localhost:9000`, `bucket.s3.us-east-1.amazonaws.com`. Other names are ours. */
const bucketOfHost = (host: string): string | undefined => {
  const name = host.replace(/:\d+$/, '').toLowerCase()
  return /^(.+)\.(?:localhost|s3(?:[.-][a-z0-9-]+)?\.amazonaws\.com)$/.exec(name)?.[1]
}

const parseQuery = (text: string): Record<string, string[]> => {
  // No prototype: a client may send `?constructor`.
  const query: Record<string, string[]> = Object.create(null)
  for (const pair of text.split('&').filter(one => one !== '')) {
    const [name = '', value = ''] = pair.split(/=(.*)/s).map(part => decode(part.replaceAll('+', ' ')))
    query[name] = [...(query[name] ?? []), value]
  }
  return query
}

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
const readHoistedHeaders = (query: RequestTarget['query']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query)
      .map(([name, [value = '']]): [string, string] => [name.toLowerCase(), value])
      .filter(([name]) => name === 'x-amz-acl' || name.startsWith('x-amz-meta-'))
      .map(([name, value]) => {
        if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
          throw invalidArgument('This cannot be the name of a header', name, value)
        return [name, asHeader(name, value)]
      }),
  )

/** A text as the value of a header, where each byte is a character. Throws InvalidArgument for what no header can hold. */
export const asHeader = (name: string, value: string): string => {
  if ([...value].some(char => char < ' ' || char === '\x7f'))
    throw invalidArgument('This cannot be the value of a header', name, value)
  return Buffer.from(value).toString('latin1')
}

/** Reads from `x-amz-content-sha256` how the body arrives and what it must hash to. */
const readBodyForm = (contentSha256 = 'UNSIGNED-PAYLOAD'): BodyForm => {
  const [, kind, trailer] =
    /^STREAMING-(AWS4-HMAC-SHA256|UNSIGNED)-PAYLOAD(-TRAILER)?$/.exec(contentSha256) ?? []
  const chunked = { isSigned: kind !== 'UNSIGNED', hasTrailer: trailer !== undefined }
  if (kind !== undefined && (chunked.isSigned || chunked.hasTrailer)) return { chunked }
  if (contentSha256 === 'UNSIGNED-PAYLOAD') return {}
  if (/^[0-9a-f]{64}$/i.test(contentSha256)) return { sha256: contentSha256.toLowerCase() }
  throw invalidArgument(
    'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, a STREAMING- form that is supported, or a valid sha256 value.',
    'x-amz-content-sha256',
    contentSha256,
  )
}
