import type { S3Request } from '../http/s3-request.ts'
import type { AccessRequest } from './policy.ts'

export const bucketArn = (bucket: string): string => `arn:aws:s3:::${bucket}`

export const objectArn = (bucket: string, key: string): string => `arn:aws:s3:::${bucket}/${key}`

/** An access with the condition keys that policies may use (Service Authorization Reference, Amazon S3). */
export const accessOf = ({ headers, target }: S3Request, action: string, resource: string): AccessRequest => {
  const values: [string, string | undefined][] = [
    // Requests stay on this machine. Counted as plain http, they would fail the policies of the real stack.
    ['aws:securetransport', 'true'],
    ['s3:prefix', target.query['prefix']?.[0]],
    ['s3:delimiter', target.query['delimiter']?.[0]],
    ['s3:max-keys', target.query['max-keys']?.[0]],
    ['s3:x-amz-acl', headers['x-amz-acl']],
    ['s3:x-amz-server-side-encryption', headers['x-amz-server-side-encryption']],
    ['s3:x-amz-storage-class', headers['x-amz-storage-class']],
  ]
  const present = values.filter((pair): pair is [string, string] => pair[1] !== undefined)
  return { action, resource, context: Object.fromEntries(present) }
}

/** Access to the bucket of the request. */
export const onBucket =
  (action: string) =>
  (request: S3Request): AccessRequest[] => [accessOf(request, action, bucketArn(request.target.bucket ?? ''))]

/** Access to the object of the request. */
export const onObject =
  (action: string) =>
  (request: S3Request): AccessRequest[] => [
    accessOf(request, action, objectArn(request.target.bucket ?? '', request.target.key ?? '')),
  ]

/** Access to the object, or to one of its versions where the request names it: `s3:GetObject`, `s3:GetObjectVersion`. */
export const onObjectOrVersion =
  (action: string) =>
  (request: S3Request): AccessRequest[] =>
    onObject(request.target.query['versionId'] === undefined ? action : `${action}Version`)(request)

/**
 * What the later requests of a multipart upload need. They carry no header of the encryption: S3 asks for it where the
 * upload begins, and its parts have that one.
 */
export const toContinueUpload = (request: S3Request): AccessRequest[] => {
  const headers = { ...request.headers, 'x-amz-server-side-encryption': 'AES256' }
  return onObject('s3:PutObject')({ ...request, headers })
}

/** What writing an object needs: more than s3:PutObject when the request also sets an ACL. */
export const toWriteObject = (request: S3Request): AccessRequest[] => [
  ...onObject('s3:PutObject')(request),
  ...(request.headers['x-amz-acl'] === undefined ? [] : onObject('s3:PutObjectAcl')(request)),
]
