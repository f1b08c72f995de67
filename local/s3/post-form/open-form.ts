import { createHmac } from 'node:crypto'
import { toWriteObject } from '../auth/access.ts'
import { type FindPrincipal, identify } from '../auth/authenticate.ts'
import { type GivenSignature, readCredential } from '../auth/read-signature.ts'
import { signingKey } from '../auth/signature.ts'
import { signV2 } from '../auth/signature-v2.ts'
import { invalidArgument, S3Error } from '../errors.ts'
import { type Reply, xmlReply } from '../http/reply.ts'
import { checkKey, type HttpRequest, type S3Request } from '../http/s3-request.ts'
import type { Operation } from '../operation.ts'
import { storeBody, writtenReply } from '../operations/commit-object.ts'
import type { StoredVersion } from '../storage/stored-object.ts'
import { checkPostPolicy, readPostPolicy } from './post-policy.ts'
import { type PostForm, readForm } from './read-form.ts'

/** Whether the request is a form for a bucket, whose signature lies among its fields. */
export const isPostForm = ({ method, bucket, key, query, headers }: HttpRequest): boolean =>
  method === 'POST' &&
  bucket !== '' &&
  key === '' &&
  Object.keys(query).length === 0 &&
  headers['authorization'] === undefined &&
  headers['content-type']?.toLowerCase().startsWith('multipart/form-data') === true

/** Fields with the names of headers, which describe the object as those of a PUT do. */
const describing = /^(?:cache-control|content-(?:type|disposition|encoding|language|md5)|expires|x-amz-.*)$/
/** They belong to the policy, not to the object. */
const signing = new Set(['x-amz-algorithm', 'x-amz-credential', 'x-amz-signature'])

/**
 * Reads a form up to its file, and checks its signature and its policy (S3 API Reference, "POST Object").
 *
 * Gives the PUT that the form stands for; call `discard` when it is answered. Throws what reading, the signature or the
 * policy refuse.
 */
export const openForm = async (request: HttpRequest, findPrincipal: FindPrincipal) => {
  const { bucket, headers } = request
  const form = await readForm(request.rawBody(), headers['content-type'] ?? '')
  try {
    const fields = withFilename(form)
    const caller = identify(readSignature(fields), findPrincipal)
    const policy = readPostPolicy(required(fields, 'policy'))
    const key = required(fields, 'key')
    checkPostPolicy(policy, new Map([...fields, ['bucket', bucket]]))
    checkKey(key)
    const described = [...fields].filter(([name]) => describing.test(name) && !signing.has(name))
    const acl = fields.get('acl')
    if (acl !== undefined) described.push(['x-amz-acl', acl])
    // Headers hold one character per byte.
    const asHeaders = described.map(([name, value]) => [name, Buffer.from(value).toString('latin1')])
    const put: S3Request = {
      ...request,
      key,
      headers: Object.fromEntries(asHeaders),
      caller,
      bodyForm: { size: policy.size },
      rawBody: form.bytes,
    }
    return { operation: postObject(fields), request: put, discard: form.discard }
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

type Fields = ReadonlyMap<string, string>

/**
 * The signature of the form's policy: of version 4, or of version 2, which boto3 still makes by default in us-east-1. There
 * is no other signature: the policy decides what the form may hold. Neither signs chunks.
 *
 * Throws AccessDenied without a policy, InvalidArgument for a missing field.
 */
const readSignature = (fields: Fields): GivenSignature => {
  const policy = fields.get('policy')
  if (policy === undefined) throw new S3Error('AccessDenied')
  const sessionToken = fields.get('x-amz-security-token')
  if (fields.has('awsaccesskeyid') && !fields.has('x-amz-signature'))
    return {
      accessKeyId: required(fields, 'AWSAccessKeyId'),
      signature: required(fields, 'signature'),
      sessionToken,
      expected: secret => signV2(secret, policy),
    }
  const algorithm = required(fields, 'X-Amz-Algorithm')
  if (algorithm !== 'AWS4-HMAC-SHA256')
    throw invalidArgument('X-Amz-Algorithm only supports "AWS4-HMAC-SHA256"', 'X-Amz-Algorithm', algorithm)
  const signed = {
    credential: required(fields, 'X-Amz-Credential'),
    longDate: required(fields, 'X-Amz-Date'),
  }
  const accessKeyId = readCredential('InvalidArgument', signed)
  return {
    accessKeyId,
    signature: required(fields, 'X-Amz-Signature'),
    sessionToken,
    expected: secret =>
      createHmac('sha256', signingKey(secret, signed.longDate)).update(policy).digest('hex'),
  }
}

/** The value of a field without which the form cannot be read. */
const required = (fields: Fields, name: string): string => {
  const value = fields.get(name.toLowerCase()) ?? ''
  if (value === '')
    throw invalidArgument(`A form must have a field named '${name}', before its file.`, name, '')
  return value
}

/** Stores the file of a form whose policy holds. The request has its description as headers, as a PUT would. */
const postObject = (fields: Fields): Operation => ({
  access: toWriteObject,
  run: async (request, context) => {
    if (fields.has('tagging'))
      throw new S3Error('NotImplemented', 'Tags are not implemented.', { Header: 'tagging' })
    return answerOf(request, fields, await storeBody(request, context, 'POST Object'))
  },
})

/** What the form asked for: a page to see next, or a status (S3 API Reference, "POST Object"). */
const answerOf = (request: S3Request, fields: Fields, version: StoredVersion): Reply => {
  const { bucket, key, origin } = request
  const etag = `"${version.etag}"`
  const { headers } = writtenReply(version)
  const next = fields.get('success_action_redirect') ?? fields.get('redirect') ?? ''
  if (URL.canParse(next)) {
    const page = new URL(next)
    for (const [name, value] of Object.entries({ bucket, key, etag })) page.searchParams.append(name, value)
    return { status: 303, headers: { ...headers, location: page.href } }
  }
  const location = `${origin}/${bucket}/${encodeURIComponent(key)}`
  const status = fields.get('success_action_status')
  if (status !== '201') return { status: status === '200' ? 200 : 204, headers: { ...headers, location } }
  const described = { Location: location, Bucket: bucket, Key: key, ETag: etag }
  return { ...xmlReply('PostResponse', described, { ...headers, location }), status: 201 }
}
