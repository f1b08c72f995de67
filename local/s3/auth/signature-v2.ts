import { createHmac } from 'node:crypto'
import type { RequestToAuthenticate } from './read-signature.ts'
import { encodePath } from './signature.ts'

/** A presigned URL of Signature Version 2, as it was sent. */
export interface QuerySignatureV2 {
  accessKeyId: string
  signature: string
  expires: Date
  sessionToken: string | undefined
}

/**
 * Reads `?AWSAccessKeyId=...&Expires=...&Signature=...`; undefined when the request is not signed so.
 *
 * `aws s3 presign` and boto3 still make this old form by default when the region is us-east-1.
 */
export const readQuerySignatureV2 = ({
  target: { query },
}: RequestToAuthenticate): QuerySignatureV2 | undefined => {
  const [accessKeyId, signature, expires] = [
    query['AWSAccessKeyId'],
    query['Signature'],
    query['Expires'],
  ].map(values => values?.[0])
  if (accessKeyId === undefined || signature === undefined || !/^\d{1,12}$/.test(expires ?? ''))
    return undefined
  return {
    accessKeyId,
    signature,
    expires: new Date(Number(expires) * 1000),
    sessionToken: query['x-amz-security-token']?.[0],
  }
}

/** The query arguments that this signature covers. Any other known argument was added after signing. */
const signedArguments = new Set([
  'acl',
  'delete',
  'lifecycle',
  'location',
  'partNumber',
  'policy',
  'response-cache-control',
  'response-content-disposition',
  'response-content-encoding',
  'response-content-language',
  'response-content-type',
  'response-expires',
  'tagging',
  'uploadId',
  'uploads',
  'versionId',
  'versioning',
  'versions',
])

/** The signature that belongs to the request (S3 User Guide, "Signing and authenticating REST requests", version 2). */
export const computeSignatureV2 = (
  secretAccessKey: string,
  { method, target, headers }: RequestToAuthenticate,
  { expires }: QuerySignatureV2,
): string => {
  // Signers move x-amz headers into the query and sign them as if they were still headers.
  const hoisted = Object.entries(target.query).map(([name, [value = '']]): [string, string] => [
    name.toLowerCase(),
    value,
  ])
  const amz = new Map([...hoisted, ...Object.entries(headers)].filter(([name]) => name.startsWith('x-amz-')))
  const amzLines = [...amz].sort(byName).map(([name, value]) => `${name}:${value.trim()}\n`)

  const isHostAddressed = target.bucket !== undefined && target.path === `/${target.key ?? ''}`
  const path = encodePath(isHostAddressed ? `/${target.bucket}${target.path}` : target.path)
  const signed = Object.entries(target.query)
    .filter(([name]) => signedArguments.has(name))
    .map(([name, values]): [string, string] => [name, values[0] ?? ''])
    .sort(byName)
    .map(([name, value]) => (value === '' ? name : `${name}=${value}`))
  const resource = signed.length === 0 ? path : `${path}?${signed.join('&')}`

  const text = [
    method,
    headers['content-md5'] ?? '',
    headers['content-type'] ?? '',
    String(expires.getTime() / 1000),
    `${amzLines.join('')}${resource}`,
  ].join('\n')
  return createHmac('sha1', secretAccessKey).update(text).digest('base64')
}

const byName = ([a]: [string, string], [b]: [string, string]): number => (a < b ? -1 : 1)
