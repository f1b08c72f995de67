import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { requestOrigin } from '../../http/request-origin.ts'
import { type AuthenticationOptions, checkScope, checkToken, findPrincipal } from '../auth/authenticate.ts'
import type { Caller } from '../auth/caller.ts'
import { readScope } from '../auth/read-signature.ts'
import { isSameSignature, NO_SIGNING_KEY, signingKey } from '../auth/signature.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import { maxKeyBytes, type RequestTarget, type S3Request } from '../http/s3-request.ts'
import { checkPostPolicy, readPostPolicy } from './post-policy.ts'
import { type PostForm, readForm } from './read-form.ts'

type Headers = Readonly<Record<string, string>>

/** Whether the request is a form for a bucket, whose signature lies among its fields. */
export const isPostForm = (
  method: string,
  { bucket, key, query }: RequestTarget,
  headers: Headers,
): boolean =>
  method === 'POST' &&
  bucket !== undefined &&
  key === undefined &&
  Object.keys(query).length === 0 &&
  headers['authorization'] === undefined &&
  headers['content-type']?.toLowerCase().startsWith('multipart/form-data') === true

/** Fields with the names of headers, which describe the object as those of a PUT do. */
const describing = /^(?:cache-control|content-(?:type|disposition|encoding|language|md5)|expires|x-amz-.*)$/
/** They belong to the policy, not to the object. */
const signing = new Set(['x-amz-algorithm', 'x-amz-credential', 'x-amz-signature'])

interface OpenForm {
  form: PostForm
  fields: ReadonlyMap<string, string>
  /** The PUT that the form stands for. */
  request: S3Request
}

/**
 * Reads a form up to its file, and checks its signature and its policy (S3 API Reference, "POST Object").
 *
 * Throws what reading, the signature or the policy refuse. Whoever gets a form must `discard` what it leaves of it.
 */
export const openForm = async (
  message: IncomingMessage,
  parts: {
    id: string
    method: string
    target: RequestTarget
    headers: Headers
    body: { read: () => AsyncIterable<Buffer> }
  },
  options: AuthenticationOptions,
): Promise<OpenForm> => {
  const { id, method, target, headers } = parts
  const form = await readForm(parts.body.read(), headers['content-type'] ?? '')
  try {
    const fields = withFilename(form)
    const caller = authenticateForm(fields, options)
    const policy = readPostPolicy(required(fields, 'policy'))
    const key = required(fields, 'key')
    checkPostPolicy(policy, new Map([...fields, ['bucket', target.bucket ?? '']]), options.now)
    if (Buffer.byteLength(key) > maxKeyBytes) throw new S3Error('KeyTooLongError')
    const acl = fields.get('acl')
    const request: S3Request = {
      id,
      method,
      target: { ...target, key },
      headers: {
        ...Object.fromEntries(
          [...fields]
            .filter(([name]) => describing.test(name) && !signing.has(name))
            .map(([name, value]) => [name, asHeader(value)]),
        ),
        ...(acl !== undefined && { 'x-amz-acl': acl }),
      },
      caller,
      bodyForm: { size: policy.size },
      rawBody: form.bytes,
      sourceIp: message.socket.remoteAddress ?? '127.0.0.1',
      origin: requestOrigin(message),
    }
    return { form, fields, request }
  } catch (error) {
    form.discard()
    throw error
  }
}

const filenameVariable = /\$\{filename\}/g

/** The fields with the name of the file in place of `${filename}`, before anything looks at them. */
const withFilename = ({ fields, filename }: PostForm): Map<string, string> => {
  const name = filename.split(/[\\/]/).at(-1) ?? ''
  const signed = new Set(['policy', 'x-amz-signature', 'signature'])
  return new Map(
    [...fields].map(([field, value]) => [
      field,
      signed.has(field) ? value : value.replaceAll(filenameVariable, () => name),
    ]),
  )
}

// Headers hold one character per byte.
const asHeader = (value: string): string => Buffer.from(value).toString('latin1')

type Fields = ReadonlyMap<string, string>

/**
 * Whose key signed the form's policy. There is no other signature: the policy decides what the form may hold.
 *
 * Throws AccessDenied without a policy, InvalidArgument for a missing field, InvalidAccessKeyId, InvalidToken,
 * ExpiredToken, SignatureDoesNotMatch.
 */
const authenticateForm = (fields: Fields, options: AuthenticationOptions): Caller => {
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
const required = (fields: Fields, name: string): string => {
  const value = fields.get(name.toLowerCase())
  if (value !== undefined && value !== '') return value
  throw invalidArgument(
    `Bucket POST must contain a field named '${name}'.  If it is specified, please check the order of the fields.`,
    name,
    '',
  )
}
