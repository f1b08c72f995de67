import { createHash, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { getCanonicalHeaders, getCanonicalQuery } from '@smithy/signature-v4'
import { region } from '../account.ts'

/** The parts of a request that a signature covers. */
interface SignedRequest {
  method: string
  /** Decoded: `/bucket/a key`. */
  path: string
  /** Decoded; without the signature itself. */
  query: Record<string, string[]>
  /** The headers that the client says it signed, lower-case names. */
  headers: Record<string, string>
  payloadHash: string
}

/**
 * The signature that belongs to a request (Signature Version 4, "Create a signed API request").
 *
 * `@smithy/signature-v4` makes the canonical headers and query. Its `SignatureV4.sign` cannot verify: it adds a date and
 * a token header, always signs `x-amz-content-sha256` when it is there, and moves headers into the query when presigning,
 * while a client may have signed any subset of its headers.
 */
export const computeSignature = (key: KeyObject, longDate: string, request: SignedRequest): string => {
  const names = Object.keys(request.headers).sort()
  const canonical = getCanonicalHeaders(
    { ...requestShape, headers: request.headers },
    undefined,
    // The library skips headers that proxies change, unless they are listed as signed.
    new Set(names),
  )
  const canonicalRequest = [
    request.method,
    encodePath(request.path),
    getCanonicalQuery({ ...requestShape, query: request.query }),
    ...names.map(name => `${name}:${canonical[name] ?? ''}`),
    '',
    names.join(';'),
    request.payloadHash,
  ].join('\n')
  return signText(key, longDate, 'AWS4-HMAC-SHA256', sha256(canonicalRequest))
}

/**
 * The signature of a text: of a body's chunk, or of the hash of a canonical request.
 *
 * @param longDate `20260102T030405Z`
 */
export const signText = (key: KeyObject, longDate: string, algorithm: string, text: string): string =>
  createHmac('sha256', key)
    .update([algorithm, longDate, scopeOf(longDate).join('/'), text].join('\n'))
    .digest('hex')

/** What the key of a day is made of, besides the secret. */
const scopeOf = (longDate: string): string[] => [longDate.slice(0, 8), region, 's3', 'aws4_request']

const keys = new Map<string, KeyObject>()

/**
 * The signing key of a secret for one day. Cached, because clients send thousands of requests with it; as a key object,
 * because with the bytes of a key each HMAC takes five times as long.
 */
export const signingKey = (secretAccessKey: string, longDate: string): KeyObject => {
  const scope = scopeOf(longDate)
  const name = JSON.stringify([secretAccessKey, ...scope])
  const known = keys.get(name)
  if (known !== undefined) return known
  const bytes = scope.reduce<Buffer>(
    (secret, text) => createHmac('sha256', secret).update(text).digest(),
    Buffer.from(`AWS4${secretAccessKey}`),
  )
  if (keys.size >= 1000) keys.clear()
  const key = createSecretKey(bytes)
  keys.set(name, key)
  return key
}

export const isSameSignature = (expected: string, given: string): boolean =>
  expected.length === given.length &&
  timingSafeEqual(Buffer.from(expected, 'latin1'), Buffer.from(given, 'latin1'))

export const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex')

/**
 * Every byte except unreserved characters and `/` as `%XX`. S3 does not normalise paths: `//` and `..` stay.
 *
 * The path was decoded and is encoded again, because clients differ in what they escape on the wire (`!`, `+`, lower-case
 * hex) but not in what they sign.
 */
export const encodePath = (path: string): string =>
  encodeURIComponent(path)
    .replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%2F', '/')

const requestShape = { method: '', protocol: 'http:', hostname: '', path: '', headers: {} }
