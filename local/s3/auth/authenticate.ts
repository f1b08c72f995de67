import { S3Error, type S3ErrorCode } from '../errors.ts'
import type { Caller, Principal } from './caller.ts'
import {
  parseAmzDate,
  type RequestToAuthenticate,
  readSignature,
  type SignatureForm,
} from './read-signature.ts'
import {
  computeSignature,
  isSameSignature,
  NO_SIGNING_KEY,
  type SignatureScope,
  signingKey,
} from './signature.ts'
import { computeSignatureV2, type QuerySignatureV2, readQuerySignatureV2 } from './signature-v2.ts'

export interface AuthenticationOptions {
  region: string
  service: 's3' | 'sts'
  now: Date
  findPrincipal: (accessKeyId: string) => Principal | undefined
  /** For a service whose requests have no header with the payload's hash. */
  payloadHash?: string
}

const maxSkewMs = 15 * 60 * 1000
const globalRegion = 'us-east-1'

/**
 * Whose key signed the request, in the Authorization header or in the query (a presigned URL).
 *
 * Throws AccessDenied for a missing signature and an expired presigned URL; InvalidAccessKeyId, InvalidToken,
 * ExpiredToken, RequestTimeTooSkewed, SignatureDoesNotMatch.
 */
export const authenticate = (request: RequestToAuthenticate, options: AuthenticationOptions): Caller => {
  const old = options.service === 's3' ? readQuerySignatureV2(request) : undefined
  if (old !== undefined) return authenticateV2(request, old, options)
  const form = readSignature(request)
  const payloadHash = options.payloadHash ?? form.payloadHash
  if (payloadHash === undefined)
    throw new S3Error('InvalidRequest', 'Missing required header for this request: x-amz-content-sha256')
  checkScope(
    form.kind === 'header' ? 'AuthorizationHeaderMalformed' : 'AuthorizationQueryParametersError',
    form.scope,
    options,
  )
  const principal = findPrincipal(form.accessKeyId, options)
  checkTime(form, options.now)

  const key = signingKey(principal.secretAccessKey, form.scope)
  const signed = {
    method: request.method,
    path: request.target.path,
    query: withoutSignature(request.target.query),
    headers: pickSigned(request.headers, form),
    payloadHash,
  }
  if (!isSameSignature(computeSignature(key, form.scope, signed), form.signature))
    throw new S3Error('SignatureDoesNotMatch', undefined, { AWSAccessKeyId: form.accessKeyId })
  checkToken(principal, form, options.now)
  return { principal, signature: form.signature, signingKey: key, scope: form.scope }
}

const authenticateV2 = (
  request: RequestToAuthenticate,
  form: QuerySignatureV2,
  options: AuthenticationOptions,
): Caller => {
  const principal = findPrincipal(form.accessKeyId, options)
  if (options.now > form.expires)
    throw new S3Error('AccessDenied', 'Request has expired', { Expires: form.expires.toISOString() })
  const expected = computeSignatureV2(principal.secretAccessKey, request, form)
  if (!isSameSignature(expected, form.signature))
    throw new S3Error('SignatureDoesNotMatch', undefined, { AWSAccessKeyId: form.accessKeyId })
  checkToken(principal, form, options.now)
  // This version has no signed chunks, so no chunk may match this key.
  const scope = { longDate: '', shortDate: '', region: options.region, service: options.service }
  return { principal, signature: form.signature, signingKey: NO_SIGNING_KEY, scope }
}

export const findPrincipal = (accessKeyId: string, options: AuthenticationOptions): Principal => {
  const principal = options.findPrincipal(accessKeyId)
  if (principal === undefined)
    throw new S3Error('InvalidAccessKeyId', undefined, { AWSAccessKeyId: accessKeyId })
  return principal
}

export const checkScope = (
  code: S3ErrorCode,
  scope: SignatureScope,
  { region, service }: AuthenticationOptions,
): void => {
  if (scope.service !== service)
    throw new S3Error(code, `The credential scope names service "${scope.service}"; expecting "${service}".`)
  // Clients sign for the global endpoint of STS with this region.
  const isRegion = scope.region === region || (service === 'sts' && scope.region === globalRegion)
  if (!isRegion)
    throw new S3Error(code, `The region '${scope.region}' is wrong; expecting '${region}'`, {
      Region: region,
    })
  if (scope.shortDate !== scope.longDate.slice(0, 8))
    throw new S3Error(code, 'The date of the credential scope does not match the date of the request.')
}

const checkTime = (form: SignatureForm, now: Date): void => {
  const signedAt = parseAmzDate(form.scope.longDate).getTime()
  if (form.kind === 'query') {
    if (signedAt > now.getTime() + maxSkewMs) throw new S3Error('AccessDenied', 'Request is not valid yet')
    const expires = signedAt + form.expiresSeconds * 1000
    if (now.getTime() > expires)
      throw new S3Error('AccessDenied', 'Request has expired', {
        'X-Amz-Expires': String(form.expiresSeconds),
        Expires: new Date(expires).toISOString(),
        ServerTime: now.toISOString(),
      })
  } else if (Math.abs(now.getTime() - signedAt) > maxSkewMs)
    throw new S3Error('RequestTimeTooSkewed', undefined, {
      RequestTime: form.scope.longDate,
      ServerTime: now.toISOString(),
      MaxAllowedSkewMilliseconds: String(maxSkewMs),
    })
}

export const checkToken = (
  principal: Principal,
  form: { accessKeyId: string; sessionToken: string | undefined },
  now: Date,
): void => {
  if (principal.kind === 'root') {
    if (form.sessionToken !== undefined) throw new S3Error('InvalidToken')
    return
  }
  // A temporary key without its token is unknown: S3 answers so, not with InvalidToken.
  if (form.sessionToken === undefined)
    throw new S3Error('InvalidAccessKeyId', undefined, { AWSAccessKeyId: form.accessKeyId })
  if (!isSameSignature(principal.sessionToken, form.sessionToken)) throw new S3Error('InvalidToken')
  if (now >= principal.expires) throw new S3Error('ExpiredToken')
}

const withoutSignature = (query: Record<string, string[]>): Record<string, string[]> => {
  const { 'X-Amz-Signature': _, ...rest } = query
  return rest
}

/** The signed headers, with their bytes as text. */
const pickSigned = (
  headers: Readonly<Record<string, string>>,
  form: SignatureForm,
): Record<string, string> => {
  const unsigned = Object.keys(headers).filter(
    name => name.startsWith('x-amz-') && !form.signedHeaders.has(name) && name !== 'x-amz-content-sha256',
  )
  // S3 requires that every x-amz header is signed, or else a presigned URL could be used for something else. The hash
  // of the payload is part of what is signed anyway, and some clients leave its header out.
  if (unsigned.length > 0)
    throw new S3Error('AccessDenied', 'There were headers present in the request which were not signed', {
      HeadersNotSigned: unsigned.join(', '),
    })
  return Object.fromEntries([...form.signedHeaders].map(name => [name, asText(headers[name] ?? '')]))
}

// Node reads headers as one character per byte; clients sign them as UTF-8.
const asText = (value: string): string => {
  if (/^[ -~]*$/.test(value)) return value
  const decoded = Buffer.from(value, 'latin1').toString('utf8')
  return decoded.includes('\ufffd') ? value : decoded
}
