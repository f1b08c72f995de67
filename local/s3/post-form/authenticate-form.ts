import { createHmac } from 'node:crypto'
import { type AuthenticationOptions, checkScope, checkToken, findPrincipal } from '../auth/authenticate.ts'
import type { Caller } from '../auth/caller.ts'
import { readScope } from '../auth/read-signature.ts'
import { isSameSignature, NO_SIGNING_KEY, signingKey } from '../auth/signature.ts'
import { invalidArgument, S3Error } from '../errors.ts'

type Fields = ReadonlyMap<string, string>

/**
 * Whose key signed the form's policy. There is no other signature: the policy decides what the form may hold.
 *
 * Throws AccessDenied without a policy, InvalidArgument for a missing field, InvalidAccessKeyId, InvalidToken,
 * ExpiredToken, SignatureDoesNotMatch.
 */
export const authenticateForm = (fields: Fields, options: AuthenticationOptions): Caller => {
  const policy = fields.get('policy')
  if (policy === undefined) throw new S3Error('AccessDenied')
  const isOld = fields.has('awsaccesskeyid') && !fields.has('x-amz-signature')
  return isOld ? authenticateV2(policy, fields, options) : authenticateV4(policy, fields, options)
}

const authenticateV4 = (policy: string, fields: Fields, options: AuthenticationOptions): Caller => {
  const algorithm = required(fields, 'X-Amz-Algorithm')
  if (algorithm !== 'AWS4-HMAC-SHA256')
    throw invalidArgument('X-Amz-Algorithm only supports "AWS4-HMAC-SHA256"', 'X-Amz-Algorithm', algorithm)
  const credential = required(fields, 'X-Amz-Credential')
  const { accessKeyId, scope } = readScope('InvalidArgument', required(fields, 'X-Amz-Date'), credential)
  checkScope('InvalidArgument', scope, options)
  const principal = findPrincipal(accessKeyId, options)
  const key = signingKey(principal.secretAccessKey, scope)
  const signature = required(fields, 'X-Amz-Signature')
  if (!isSameSignature(createHmac('sha256', key).update(policy).digest('hex'), signature))
    throw new S3Error('SignatureDoesNotMatch', undefined, { AWSAccessKeyId: accessKeyId })
  checkToken(principal, { accessKeyId, sessionToken: fields.get('x-amz-security-token') }, options.now)
  return { principal, signature, signingKey: key, scope }
}

/** Signature Version 2, which boto3 still makes by default in us-east-1. */
const authenticateV2 = (policy: string, fields: Fields, options: AuthenticationOptions): Caller => {
  const accessKeyId = required(fields, 'AWSAccessKeyId')
  const principal = findPrincipal(accessKeyId, options)
  const signature = required(fields, 'signature')
  const expected = createHmac('sha1', principal.secretAccessKey).update(policy).digest('base64')
  if (!isSameSignature(expected, signature))
    throw new S3Error('SignatureDoesNotMatch', undefined, { AWSAccessKeyId: accessKeyId })
  checkToken(principal, { accessKeyId, sessionToken: fields.get('x-amz-security-token') }, options.now)
  // A form has no signed chunks, so no chunk may match this key.
  const scope = { longDate: '', shortDate: '', region: options.region, service: options.service }
  return { principal, signature, signingKey: NO_SIGNING_KEY, scope }
}

/** The value of a field without which the form cannot be read. */
export const required = (fields: Fields, name: string): string => {
  const value = fields.get(name.toLowerCase())
  if (value !== undefined && value !== '') return value
  throw invalidArgument(
    `Bucket POST must contain a field named '${name}'.  If it is specified, please check the order of the fields.`,
    name,
    '',
  )
}
