import { invalidArgument, S3Error, type S3ErrorCode } from '../errors.ts'
import type { RequestTarget } from '../http/s3-request.ts'
import type { SignatureScope } from './signature.ts'

/** What a signature covers of a request, besides its body. */
export interface RequestToAuthenticate {
  method: string
  target: RequestTarget
  headers: Readonly<Record<string, string>>
}

/** A signature as the client sent it. */
export type SignatureForm = {
  accessKeyId: string
  scope: SignatureScope
  signedHeaders: ReadonlySet<string>
  signature: string
  /** The last line of the canonical request; undefined when a header had to say it. */
  payloadHash: string | undefined
  sessionToken: string | undefined
} & ({ kind: 'header' } | { kind: 'query'; expiresSeconds: number })

const algorithm = 'AWS4-HMAC-SHA256'
const maxExpiresSeconds = 7 * 24 * 3600

/** Reads the Authorization header or the `X-Amz-*` query arguments. Throws AccessDenied when there are neither. */
export const readSignature = (request: RequestToAuthenticate): SignatureForm => {
  const { authorization } = request.headers
  const isPresigned = 'X-Amz-Algorithm' in request.target.query || 'X-Amz-Signature' in request.target.query
  if (authorization !== undefined && isPresigned)
    throw invalidArgument('Only one auth mechanism allowed', 'Authorization', 'header and query')
  if (authorization !== undefined) return readHeader(request, authorization)
  if (isPresigned) return readQuery(request)
  throw new S3Error('AccessDenied')
}

const readHeader = ({ headers }: RequestToAuthenticate, authorization: string): SignatureForm => {
  const [scheme = '', fields = ''] = authorization.split(/ +(.*)/s)
  if (scheme !== algorithm)
    throw new S3Error(
      'InvalidRequest',
      `The authorization mechanism you have provided is not supported. Please use ${algorithm}.`,
    )
  const values = new Map(
    fields.split(',').map(field => {
      const equals = field.indexOf('=')
      return [field.slice(0, equals).trim(), field.slice(equals + 1).trim()]
    }),
  )
  const longDate = headers['x-amz-date'] ?? fromHttpDate(headers['date'])
  if (longDate === undefined)
    throw new S3Error('AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header')
  return {
    kind: 'header',
    ...readFields('AuthorizationHeaderMalformed', longDate, {
      credential: values.get('Credential'),
      signedHeaders: values.get('SignedHeaders'),
      signature: values.get('Signature'),
    }),
    payloadHash: headers['x-amz-content-sha256'],
    sessionToken: headers['x-amz-security-token'],
  }
}

const readQuery = ({ target: { query }, headers }: RequestToAuthenticate): SignatureForm => {
  const code = 'AuthorizationQueryParametersError'
  if (query['X-Amz-Algorithm']?.[0] !== algorithm)
    throw new S3Error(code, `X-Amz-Algorithm only supports "${algorithm}"`)
  const expires = query['X-Amz-Expires']?.[0] ?? ''
  if (!/^\d{1,9}$/.test(expires)) throw new S3Error(code, 'X-Amz-Expires should be a number')
  if (Number(expires) > maxExpiresSeconds)
    throw new S3Error(
      code,
      `X-Amz-Expires must be less than a week (in seconds); it must be under ${maxExpiresSeconds}`,
    )
  return {
    kind: 'query',
    ...readFields(code, query['X-Amz-Date']?.[0] ?? '', {
      credential: query['X-Amz-Credential']?.[0],
      signedHeaders: query['X-Amz-SignedHeaders']?.[0],
      signature: query['X-Amz-Signature']?.[0],
    }),
    expiresSeconds: Number(expires),
    payloadHash: headers['x-amz-content-sha256'] ?? query['X-Amz-Content-Sha256']?.[0] ?? 'UNSIGNED-PAYLOAD',
    sessionToken: query['X-Amz-Security-Token']?.[0],
  }
}

const readFields = (
  code: S3ErrorCode,
  longDate: string,
  fields: {
    credential: string | undefined
    signedHeaders: string | undefined
    signature: string | undefined
  },
) => {
  const { accessKeyId, scope } = readScope(code, longDate, fields.credential ?? '')
  const signedHeaders = new Set((fields.signedHeaders ?? '').toLowerCase().split(';'))
  if (!signedHeaders.has('host')) throw new S3Error(code, 'The Host header must be among the signed headers.')
  if (!/^[0-9a-f]{64}$/.test(fields.signature ?? ''))
    throw new S3Error(code, 'The Signature must be 64 lower-case hexadecimal digits.')
  return { accessKeyId, scope, signedHeaders, signature: fields.signature ?? '' }
}

/** Reads what a credential says besides the key, `KEY/20260102/REGION/SERVICE/aws4_request`, and the date beside it. */
export const readScope = (
  code: S3ErrorCode,
  longDate: string,
  credential: string,
): { accessKeyId: string; scope: SignatureScope } => {
  const [, accessKeyId = '', shortDate = '', region = '', service = ''] =
    /^(.+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request$/.exec(credential) ?? []
  if (accessKeyId === '')
    throw new S3Error(
      code,
      'The Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".',
    )
  if (!/^\d{8}T\d{6}Z$/.test(longDate) || Number.isNaN(parseAmzDate(longDate).getTime()))
    throw new S3Error(code, "X-Amz-Date must be in the ISO 8601 long format \"yyyyMMdd'T'HHmmss'Z'\"")
  return { accessKeyId, scope: { longDate, shortDate, region, service } }
}

/** `20260102T030405Z` as a time; an invalid Date when it is none. */
export const parseAmzDate = (text: string): Date =>
  new Date(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))

const fromHttpDate = (text: string | undefined): string | undefined => {
  const date = new Date(text ?? '')
  if (Number.isNaN(date.getTime())) return undefined
  return `${date.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
}
