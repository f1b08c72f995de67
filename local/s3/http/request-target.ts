import { S3Error } from '../errors.ts'

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
