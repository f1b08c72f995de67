import { createHmac } from 'node:crypto'
import type { SignedRequest } from '../http/s3-request.ts'
import { encodePath } from './signature.ts'

/** Version 2 signs a text with SHA-1: a description of the request, or the policy of a form. */
export const signV2 = (secretAccessKey: string, text: string): string =>
  createHmac('sha1', secretAccessKey).update(text).digest('base64')

/** The query arguments that this signature covers. Any other known argument was added after signing. */
const signedArgument =
  /^(?:acl|delete|lifecycle|location|partNumber|policy|response-.*|tagging|uploadId|uploads|versionId|versioning|versions)$/

/** What is signed of a request (S3 User Guide, "Signing and authenticating REST requests", version 2). */
export const textOfV2 = (request: SignedRequest, expires: string): string => {
  const { method, path, bucket, key, query, headers } = request
  const first = Object.entries(query).map(([name, [value = '']]): [string, string] => [name, value])
  // Signers move x-amz headers into the query and sign them as if they were still headers.
  const hoisted = first.map(([name, value]): [string, string] => [name.toLowerCase(), value])
  const amz = new Map([...hoisted, ...Object.entries(headers)].filter(([name]) => name.startsWith('x-amz-')))
  const amzLines = [...amz].sort(byName).map(([name, value]) => `${name}:${value.trim()}\n`)

  const isHostAddressed = bucket !== '' && path === `/${key}`
  const resource = encodePath(isHostAddressed ? `/${bucket}${path}` : path)
  const signed = first
    .filter(([name]) => signedArgument.test(name))
    .sort(byName)
    .map(([name, value]) => (value === '' ? name : `${name}=${value}`))
  const lines = [method, headers['content-md5'] ?? '', headers['content-type'] ?? '', expires]
  const suffix = signed.length === 0 ? '' : `?${signed.join('&')}`
  return `${lines.join('\n')}\n${amzLines.join('')}${resource}${suffix}`
}

const byName = ([a]: [string, string], [b]: [string, string]): number => (a < b ? -1 : 1)
