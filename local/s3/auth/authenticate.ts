import { S3Error } from '../errors.ts'
import type { SignedRequest } from '../http/s3-request.ts'
import type { Caller, KnownKey } from './caller.ts'
import { type Expectations, type GivenSignature, readSignature } from './read-signature.ts'
import { isSameSignature, signingKey } from './signature.ts'

export interface AuthenticationOptions<Key extends KnownKey> extends Expectations {
  findPrincipal: (accessKeyId: string) => Key | undefined
}

/**
 * Whose key signed the request, in the Authorization header or in the query (a presigned URL).
 *
 * Throws AccessDenied for a missing signature and an expired presigned URL; RequestTimeTooSkewed, and what `identify`
 * throws.
 */
export const authenticate = <Key extends KnownKey>(
  request: SignedRequest,
  options: AuthenticationOptions<Key>,
): Caller<Key> => identify(readSignature(request, options), options)

/** Throws InvalidAccessKeyId, SignatureDoesNotMatch, InvalidToken, ExpiredToken. */
export const identify = <Key extends KnownKey>(
  given: GivenSignature,
  { findPrincipal, now }: AuthenticationOptions<Key>,
): Caller<Key> => {
  const { accessKeyId, signature, scope } = given
  const principal = findPrincipal(accessKeyId)
  // A temporary key without its token is unknown: S3 answers so, not with InvalidToken.
  if (principal === undefined || (principal.sessionToken !== undefined && given.sessionToken === undefined))
    throw new S3Error('InvalidAccessKeyId', undefined, { AWSAccessKeyId: accessKeyId })
  if (!isSameSignature(given.expected(principal.secretAccessKey), signature))
    throw new S3Error('SignatureDoesNotMatch', undefined, { AWSAccessKeyId: accessKeyId })
  if (!isSameSignature(principal.sessionToken ?? '', given.sessionToken ?? ''))
    throw new S3Error('InvalidToken')
  if (principal.expiration !== undefined && now >= principal.expiration) throw new S3Error('ExpiredToken')
  return {
    principal,
    chunks: scope && { key: signingKey(principal.secretAccessKey, scope), scope, signature },
  }
}
