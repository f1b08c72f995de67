import { createHash, createHmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import { UserError } from '#lib/errors/errors.ts'
import { parseQuery, type Query } from '../../values/php/query.ts'
import { type OutgoingRequest, splitTarget } from '../http/outgoing-request.ts'

interface AwsCredentials {
  accessKeyId?: string | undefined
  '#secretKey'?: string | undefined
  serviceName?: string | undefined
  regionName?: string | undefined
}

/**
 * Signs whole requests with AWS Signature Version 4; runs after every other authentication
 * (docs/reference/extractor-authentication.md#aws-signature).
 *
 * ```
 * GET /orders    X-Amz-Date: 20261121T120000Z
 *                Authorization: AWS4-HMAC-SHA256 Credential=AKID/20261121/eu-west-1/execute-api/aws4_request, ...
 * ```
 */
export const awsSigner = (
  credentials: AwsCredentials,
  now: () => number,
): ((request: OutgoingRequest) => Promise<OutgoingRequest>) => {
  const need = (key: keyof AwsCredentials): string => {
    const value = credentials[key]
    if (value) return value
    throw new UserError(
      'extractor.authentication.aws',
      `Option "${key}" under "parameters.aws.signature.credentials" cannot be empty.`,
    )
  }
  const signer = new SignatureV4({
    credentials: { accessKeyId: need('accessKeyId'), secretAccessKey: need('#secretKey') },
    service: need('serviceName'),
    region: need('regionName'),
    sha256: NodeSha256,
  })
  return async request => {
    const { hostname, port, protocol, host } = new URL(request.url.origin)
    const [path, query] = splitTarget(request.url)
    const lowerCase = Object.entries(request.headers).map(([name, value]) => [
      name.toLowerCase(),
      String(value),
    ])
    const signed = await signer.sign(
      {
        method: request.method,
        protocol,
        hostname,
        ...(port === '' ? {} : { port: Number(port) }),
        path,
        query: withoutNulls(parseQuery(query)),
        headers: { ...Object.fromEntries(lowerCase), host },
        ...(request.body === undefined ? {} : { body: request.body }),
      },
      { signingDate: new Date(now() * 1000) },
    )
    const { host: _, ...headers } = signed.headers
    return { ...request, headers }
  }
}

/** A name without `=` counts as one with an empty value. */
const withoutNulls = (query: Query): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(text => text ?? '') : (value ?? ''),
    ]),
  )

/** SHA-256 and HMAC-SHA-256 of node:crypto in the form that the signer asks for. */
class NodeSha256 {
  readonly #hash

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', toBytes(secret))
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(toBytes(data))
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest()
  }
}

const toBytes = (data: string | ArrayBuffer | ArrayBufferView): Buffer => {
  if (typeof data === 'string') return Buffer.from(data)
  if (!ArrayBuffer.isView(data)) return Buffer.from(data)
  return Buffer.from(data.buffer as ArrayBuffer, data.byteOffset, data.byteLength) // the signer passes no shared memory
}
