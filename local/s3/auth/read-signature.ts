import { region as ourRegion } from '../account.ts'
import { invalidArgument, S3Error, type S3ErrorCode } from '../errors.ts'
import type { SignedRequest } from '../http/s3-request.ts'
import { computeSignature, signingKey } from './signature.ts'
import { signV2, textOfV2 } from './signature-v2.ts'

/** A signature as the client sent it, and what it must be. */
export interface GivenSignature {
  accessKeyId: string
  signature: string
  sessionToken: string | undefined
  /** The signature that the owner of the secret makes. */
  expected: (secretAccessKey: string) => string
  /** Of version 4 only: `20260102T030405Z`. */
  longDate?: string
}

const algorithm = 'AWS4-HMAC-SHA256'
const maxExpiresSeconds = 7 * 24 * 3600
const maxSkewMs = 15 * 60 * 1000

/** Reads the Authorization header or the query of a presigned URL. Throws AccessDenied when there are neither. */
export const readSignature = (request: SignedRequest): GivenSignature => {
  const { authorization } = request.headers
  const isPresigned = ['X-Amz-Algorithm', 'X-Amz-Signature'].some(name => name in request.query)
  if (authorization !== undefined && isPresigned)
    throw invalidArgument('Only one auth mechanism allowed', 'Authorization', 'header and query')
  if (authorization !== undefined) return readHeader(request, authorization)
  if (isPresigned) return readQuery(request)
  if (['AWSAccessKeyId', 'Signature'].every(name => name in request.query)) return readQueryV2(request)
  throw new S3Error('AccessDenied')
}

/** `?AWSAccessKeyId=...&Expires=...&Signature=...`: `aws s3 presign` and boto3 still make it by default in us-east-1. */
const readQueryV2 = (request: SignedRequest): GivenSignature => {
  const value = (name: string): string => request.query[name]?.[0] ?? ''
  const expires = value('Expires')
  if (!/^\d{1,12}$/.test(expires)) throw new S3Error('AccessDenied')
  checkExpiry(Number(expires) * 1000)
  return {
    accessKeyId: value('AWSAccessKeyId'),
    signature: value('Signature'),
    sessionToken: request.query['x-amz-security-token']?.[0],
    expected: secret => signV2(secret, textOfV2(request, expires)),
  }
}

const readHeader = (request: SignedRequest, authorization: string): GivenSignature => {
  const { headers } = request
  const [scheme = '', fields = ''] = authorization.split(/ +(.*)/s)
  if (scheme !== algorithm)
    throw new S3Error(
      'InvalidRequest',
      `The authorization mechanism is not supported. Please use ${algorithm}.`,
    )
  const given = Object.fromEntries(
    [...fields.matchAll(/(\w+)=([^,\s]*)/g)].map(([, name = '', value = '']) => [name, value]),
  )
  const longDate = headers['x-amz-date'] ?? fromHttpDate(headers['date'])
  if (longDate === undefined)
    throw new S3Error('AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header')
  const payloadHash = headers['x-amz-content-sha256']
  const code = 'AuthorizationHeaderMalformed'
  const sessionToken = headers['x-amz-security-token']
  const read = readFields(request, { ...given, code, longDate, sessionToken, payloadHash: payloadHash ?? '' })
  if (payloadHash === undefined)
    throw new S3Error('InvalidRequest', 'Missing required header for this request: x-amz-content-sha256')
  if (Math.abs(Date.now() - parseAmzDate(longDate).getTime()) > maxSkewMs)
    throw new S3Error('RequestTimeTooSkewed', undefined, {
      RequestTime: longDate,
      ServerTime: new Date().toISOString(),
      MaxAllowedSkewMilliseconds: String(maxSkewMs),
    })
  return read
}

const readQuery = (request: SignedRequest): GivenSignature => {
  const code = 'AuthorizationQueryParametersError'
  const value = (name: string): string | undefined => request.query[`X-Amz-${name}`]?.[0]
  if (value('Algorithm') !== algorithm)
    throw new S3Error(code, `X-Amz-Algorithm only supports "${algorithm}"`)
  const expires = value('Expires') ?? ''
  if (!/^\d{1,9}$/.test(expires)) throw new S3Error(code, 'X-Amz-Expires should be a number')
  if (Number(expires) > maxExpiresSeconds)
    throw new S3Error(code, `X-Amz-Expires must be at most a week, ${maxExpiresSeconds} seconds`)
  const longDate = value('Date') ?? ''
  const given = readFields(request, {
    code,
    longDate,
    Credential: value('Credential'),
    SignedHeaders: value('SignedHeaders'),
    Signature: value('Signature'),
    sessionToken: value('Security-Token'),
    payloadHash: request.headers['x-amz-content-sha256'] ?? value('Content-Sha256') ?? 'UNSIGNED-PAYLOAD',
  })
  const signedAt = parseAmzDate(longDate).getTime()
  if (signedAt > Date.now() + maxSkewMs) throw new S3Error('AccessDenied', 'Request is not valid yet')
  checkExpiry(signedAt + Number(expires) * 1000)
  return given
}

/** Throws AccessDenied when a presigned URL has expired. */
const checkExpiry = (expires: number): void => {
  if (Date.now() > expires)
    throw new S3Error('AccessDenied', 'Request has expired', {
      Expires: new Date(expires).toISOString(),
      ServerTime: new Date().toISOString(),
    })
}

/** As they are named in a header, and after `X-Amz-` in a query. */
interface Fields {
  code: S3ErrorCode
  longDate: string
  Credential?: string | undefined
  SignedHeaders?: string | undefined
  Signature?: string | undefined
  sessionToken: string | undefined
  payloadHash: string
}

const readFields = (request: SignedRequest, fields: Fields): GivenSignature => {
  const { code, longDate, Credential: credential = '', Signature: signature = '' } = fields
  const accessKeyId = readCredential(code, { longDate, credential })
  const names = (fields.SignedHeaders ?? '').toLowerCase().split(';')
  if (!names.includes('host')) throw new S3Error(code, 'The Host header must be among the signed headers.')
  if (!/^[0-9a-f]{64}$/.test(signature))
    throw new S3Error(code, 'The Signature must be 64 lower-case hexadecimal digits.')
  const { 'X-Amz-Signature': _, ...query } = request.query
  const signed = {
    ...request,
    query,
    headers: pickSigned(request.headers, names),
    payloadHash: fields.payloadHash,
  }
  const expected = (secret: string) => computeSignature(signingKey(secret, longDate), longDate, signed)
  return { accessKeyId, signature, sessionToken: fields.sessionToken, longDate, expected }
}

/** The key of a credential, `KEY/20260102/REGION/SERVICE/aws4_request`. Throws when the rest of it is not ours, or not of that date. */
export const readCredential = (
  code: S3ErrorCode,
  { longDate, credential }: { longDate: string; credential: string },
): string => {
  const [, accessKeyId = '', shortDate = '', region = '', service = ''] =
    /^(.+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request$/.exec(credential) ?? []
  if (accessKeyId === '')
    throw new S3Error(code, 'The Credential must be "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".')
  if (!/^\d{8}T\d{6}Z$/.test(longDate) || Number.isNaN(parseAmzDate(longDate).getTime()))
    throw new S3Error(code, "X-Amz-Date must be in the ISO 8601 long format \"yyyyMMdd'T'HHmmss'Z'\"")
  if (service !== 's3')
    throw new S3Error(code, `The credential scope names service "${service}"; expecting "s3".`)
  if (region !== ourRegion)
    throw new S3Error(
      code,
      `The region '${region}' is wrong; expecting '${ourRegion}'`,
      { Region: ourRegion },
      { 'x-amz-bucket-region': ourRegion },
    )
  if (shortDate !== longDate.slice(0, 8))
    throw new S3Error(code, 'The date of the credential scope does not match the date of the request.')
  return accessKeyId
}

/** The signed headers, with their bytes as text. */
const pickSigned = (headers: SignedRequest['headers'], names: readonly string[]): Record<string, string> => {
  const unsigned = Object.keys(headers).filter(
    name => name.startsWith('x-amz-') && !names.includes(name) && name !== 'x-amz-content-sha256',
  )
  // S3 requires that every x-amz header is signed, or else a presigned URL could be used for something else. The hash
  // of the payload is part of what is signed anyway, and some clients leave its header out.
  if (unsigned.length > 0)
    throw new S3Error('AccessDenied', 'There were headers present in the request which were not signed', {
      HeadersNotSigned: unsigned.join(', '),
    })
  return Object.fromEntries(names.map(name => [name, asText(headers[name] ?? '')]))
}

// Node reads headers as one character per byte; clients sign them as UTF-8.
const asText = (value: string): string => {
  if (/^[ -~]*$/.test(value)) return value
  const decoded = Buffer.from(value, 'latin1').toString('utf8')
  return decoded.includes('\ufffd') ? value : decoded
}

/** `20260102T030405Z` as a time; an invalid Date when it is none. */
const parseAmzDate = (text: string): Date =>
  new Date(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))

const fromHttpDate = (text: string | undefined): string | undefined => {
  const date = new Date(text ?? '')
  if (Number.isNaN(date.getTime())) return undefined
  return `${date.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
}
