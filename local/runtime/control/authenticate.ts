import type { IncomingMessage } from 'node:http'
import { hexDigest } from '#lib/digests.ts'
import { parseAmzDate, readSignature } from '../../s3/auth/read-signature.ts'
import { computeSignature, isSameSignature, signingKey } from '../../s3/auth/signature.ts'
import { S3Error } from '../../s3/errors.ts'
import { parseRequestTarget } from '../../s3/http/s3-request.ts'
import { account } from '../resources/resource-type.ts'
import { ServiceError } from './service-error.ts'

/** Who signed a request: the account itself, or one of its functions in its role. */
export interface Caller {
  readonly roleArn: string | undefined
}

/** A key that this process knows. */
export interface KnownKey {
  readonly secretAccessKey: string
  readonly sessionToken?: string
  readonly expiration?: Date
  readonly roleArn?: string
}

/** `service`: the service that the signature's scope must name. Undefined for an unknown operation. */
export type Authenticate = (request: IncomingMessage, body: Buffer, service: string | undefined) => Caller

const maxSkewMs = 15 * 60_000

/** Checks the signature (Signature Version 4, header form) of a call to one of the JSON services. */
export const authenticator =
  (findKey: (accessKeyId: string) => KnownKey | undefined, now: () => number = Date.now): Authenticate =>
  (request, body, service) => {
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value).trim()]),
    )
    const target = parseRequestTarget(request.url ?? '/', '')
    const form = readForm({ method: request.method ?? 'POST', target, headers })
    const key = findKey(form.accessKeyId)
    if (!key)
      throw refusal('UnrecognizedClientException', 'The security token included in the request is invalid.')

    const { scope } = form
    const isOurRegion = scope.region === account.region && scope.longDate.startsWith(scope.shortDate)
    const isFresh = Math.abs(parseAmzDate(scope.longDate).getTime() - now()) <= maxSkewMs
    const expected = computeSignature(signingKey(key.secretAccessKey, scope), scope, {
      method: request.method ?? 'POST',
      path: target.path,
      query: target.query,
      headers: Object.fromEntries([...form.signedHeaders].map(name => [name, headers[name] ?? ''])),
      payloadHash: hexDigest(body),
    })
    // Without this check a signature could be reused for another operation or token.
    const isAllSigned = Object.keys(headers).every(
      name => !name.startsWith('x-amz-') || form.signedHeaders.has(name),
    )
    const isForService = service === undefined || scope.service === service
    if (
      form.kind !== 'header' ||
      !isAllSigned ||
      !isForService ||
      !isOurRegion ||
      !isFresh ||
      !isSameSignature(expected, form.signature)
    )
      throw refusal('InvalidSignatureException', 'The request signature does not match.')
    if (key.sessionToken !== undefined && !isSameSignature(key.sessionToken, form.sessionToken ?? ''))
      throw refusal('UnrecognizedClientException', 'The security token included in the request is invalid.')
    if (key.expiration && key.expiration.getTime() <= now())
      throw refusal('ExpiredTokenException', 'The security token included in the request is expired')
    return { roleArn: key.roleArn }
  }

const refusal = (name: string, message: string) => new ServiceError(name, message, 403)

const readForm = (request: Parameters<typeof readSignature>[0]) => {
  try {
    return readSignature(request)
  } catch (error) {
    if (error instanceof S3Error) throw refusal('MissingAuthenticationTokenException', error.message)
    throw error
  }
}
