import { S3Error } from '../errors.ts'
import type { Caller, Principal } from './caller.ts'
import type { GivenSignature } from './read-signature.ts'
import { isSameSignature } from './signature.ts'

/** Gives `undefined` for a key that is not known. Throws for a token that is not that key's. */
export type FindPrincipal = (accessKeyId: string, sessionToken: string | undefined) => Principal | undefined

/** Throws InvalidAccessKeyId, InvalidToken, SignatureDoesNotMatch, ExpiredToken. */
export const identify = (given: GivenSignature, findPrincipal: FindPrincipal): Caller => {
  const { accessKeyId, sessionToken, signature, longDate } = given
  const principal = findPrincipal(accessKeyId, sessionToken)
  if (principal === undefined)
    throw new S3Error('InvalidAccessKeyId', undefined, { AWSAccessKeyId: accessKeyId })
  if (!isSameSignature(given.expected(principal.secretAccessKey), signature))
    throw new S3Error('SignatureDoesNotMatch', undefined, { AWSAccessKeyId: accessKeyId })
  if (principal.roleArn !== undefined && Date.now() >= principal.expiration.getTime())
    throw new S3Error('ExpiredToken')
  return { principal, signature, longDate }
}
