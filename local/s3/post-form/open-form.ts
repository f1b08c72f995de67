import type { IncomingMessage } from 'node:http'
import { requestOrigin } from '../../http/request-origin.ts'
import type { AuthenticationOptions } from '../auth/authenticate.ts'
import { S3Error } from '../errors.ts'
import type { RequestTarget } from '../http/request-target.ts'
import { maxKeyBytes } from '../http/request-target.ts'
import type { S3Request } from '../http/s3-request.ts'
import { authenticateForm, required } from './authenticate-form.ts'
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
