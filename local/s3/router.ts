import { S3Error } from './errors.ts'
import type { RequestTarget } from './http/s3-request.ts'
import type { Operation } from './operation.ts'
import { bucketSettings } from './operations/bucket-settings.ts'
import {
  createBucket,
  deleteBucket,
  getBucketLocation,
  getBucketVersioning,
  headBucket,
  listBuckets,
  putBucketVersioning,
} from './operations/buckets.ts'
import { putObject } from './operations/commit-object.ts'
import { completeMultipartUpload } from './operations/complete-multipart-upload.ts'
import { copyObject } from './operations/copy-object.ts'
import { deleteObject, deleteObjects } from './operations/delete-objects.ts'
import { getObject, getObjectAcl, getObjectTagging, headObject } from './operations/get-object.ts'
import { listObjects, listObjectsV2, listObjectVersions } from './operations/list-objects.ts'
import {
  abortMultipartUpload,
  createMultipartUpload,
  listMultipartUploads,
  listParts,
} from './operations/multipart-uploads.ts'
import { uploadPart, uploadPartCopy } from './operations/upload-part.ts'

interface Route {
  method: string
  on: 'service' | 'bucket' | 'object'
  /** The query argument that selects it. */
  subresource?: string
  /** The header that selects it. */
  header?: string
  operation: Operation
}

/** In order: a route with a condition comes before the one without. */
const routes: readonly Route[] = [
  { method: 'GET', on: 'service', operation: listBuckets },

  { method: 'GET', on: 'bucket', subresource: 'location', operation: getBucketLocation },
  { method: 'GET', on: 'bucket', subresource: 'versioning', operation: getBucketVersioning },
  { method: 'GET', on: 'bucket', subresource: 'versions', operation: listObjectVersions },
  { method: 'GET', on: 'bucket', subresource: 'uploads', operation: listMultipartUploads },
  { method: 'GET', on: 'bucket', subresource: 'list-type', operation: listObjectsV2 },
  ...Object.entries(bucketSettings).map(
    ([subresource, operation]): Route => ({
      method: 'GET',
      on: 'bucket',
      subresource,
      operation,
    }),
  ),
  { method: 'GET', on: 'bucket', operation: listObjects },
  { method: 'PUT', on: 'bucket', subresource: 'versioning', operation: putBucketVersioning },
  { method: 'PUT', on: 'bucket', operation: createBucket },
  { method: 'HEAD', on: 'bucket', operation: headBucket },
  { method: 'DELETE', on: 'bucket', operation: deleteBucket },
  { method: 'POST', on: 'bucket', subresource: 'delete', operation: deleteObjects },

  { method: 'GET', on: 'object', subresource: 'tagging', operation: getObjectTagging },
  { method: 'GET', on: 'object', subresource: 'acl', operation: getObjectAcl },
  { method: 'GET', on: 'object', subresource: 'uploadId', operation: listParts },
  { method: 'GET', on: 'object', operation: getObject },
  { method: 'HEAD', on: 'object', operation: headObject },
  {
    method: 'PUT',
    on: 'object',
    subresource: 'partNumber',
    header: 'x-amz-copy-source',
    operation: uploadPartCopy,
  },
  { method: 'PUT', on: 'object', subresource: 'partNumber', operation: uploadPart },
  { method: 'PUT', on: 'object', header: 'x-amz-copy-source', operation: copyObject },
  { method: 'PUT', on: 'object', operation: putObject },
  { method: 'POST', on: 'object', subresource: 'uploads', operation: createMultipartUpload },
  { method: 'POST', on: 'object', subresource: 'uploadId', operation: completeMultipartUpload },
  { method: 'DELETE', on: 'object', subresource: 'uploadId', operation: abortMultipartUpload },
  { method: 'DELETE', on: 'object', operation: deleteObject },
]

/**
 * The operation that a request is for.
 *
 * Throws NotImplemented for a query argument that the operation does not know, with its name: ignoring `?acl` would
 * store the policy as an object. Throws MethodNotAllowed for a method that has no operation at all.
 */
export const findOperation = (
  method: string,
  target: RequestTarget,
  headers: Readonly<Record<string, string>>,
): Operation => {
  const on = target.bucket === undefined ? 'service' : target.key === undefined ? 'bucket' : 'object'
  const route = routes.find(
    one =>
      one.method === method &&
      one.on === on &&
      (one.subresource === undefined || target.query[one.subresource] !== undefined) &&
      (one.header === undefined || headers[one.header] !== undefined),
  )
  const known = [route?.subresource, ...(route?.operation.query ?? [])]
  const unknown = Object.keys(target.query).find(name => !known.includes(name) && !isForTheRecord(name))
  if (unknown !== undefined)
    throw new S3Error(
      'NotImplemented',
      `The query argument "${unknown}" of this request is not implemented.`,
      {
        QueryArgument: unknown,
      },
    )
  if (route === undefined)
    throw new S3Error('MethodNotAllowed', undefined, { Method: method, ResourceType: on })
  return route.operation
}

// `x-id` names the operation in SDK requests and `X-Amz-*` are the signature's; S3 ignores any other `x-`.
const isForTheRecord = (name: string): boolean =>
  name.toLowerCase().startsWith('x-') || ['AWSAccessKeyId', 'Expires', 'Signature'].includes(name)
