import { queryValue, type S3Request } from '../http/s3-request.ts'
import type { AccessRequest } from './policy.ts'

type AccessOf = (request: S3Request) => AccessRequest[]

export const bucketArn = (bucket: string): string => `arn:aws:s3:::${bucket}`

export const objectArn = (bucket: string, key: string): string => `arn:aws:s3:::${bucket}/${key}`

/** An access with the condition keys that policies may use (Service Authorization Reference, Amazon S3). */
export const accessOf = (request: S3Request, action: string, resource: string): AccessRequest => {
  const context: Record<string, string> = {
    // Requests stay on this machine. Counted as plain http, they would fail the policies of the real stack.
    'aws:securetransport': 'true',
  }
  const prefix = queryValue(request, 'prefix')
  if (prefix !== undefined) context['s3:prefix'] = prefix
  for (const name of ['x-amz-acl', 'x-amz-server-side-encryption']) {
    const value = request.headers[name]
    if (value !== undefined) context[`s3:${name}`] = value
  }
  return { action, resource, context }
}

/** Access to the bucket of the request. */
export const onBucket =
  (action: string): AccessOf =>
  request => [accessOf(request, action, bucketArn(request.bucket))]

/** Access to the object of the request. */
export const onObject =
  (action: string): AccessOf =>
  request => [accessOf(request, action, objectArn(request.bucket, request.key))]

/** Access to the object, or to one of its versions where the request names it: `s3:GetObject`, `s3:GetObjectVersion`. */
export const onObjectOrVersion =
  (action: string, part = ''): AccessOf =>
  request =>
    onObject(`${action}${queryValue(request, 'versionId') === undefined ? '' : 'Version'}${part}`)(request)

/**
 * What the later requests of a multipart upload need. They carry no header of the encryption: S3 asks for it where the
 * upload begins, and its parts have that one.
 */
export const toContinueUpload: AccessOf = request => {
  const headers = { ...request.headers, 'x-amz-server-side-encryption': 'AES256' }
  return onObject('s3:PutObject')({ ...request, headers })
}

/** What writing an object needs: more than s3:PutObject when the request also sets an ACL. */
export const toWriteObject: AccessOf = request => [
  ...onObject('s3:PutObject')(request),
  ...(request.headers['x-amz-acl'] === undefined ? [] : onObject('s3:PutObjectAcl')(request)),
]
