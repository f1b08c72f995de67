import { S3Error } from './errors.ts'
import type { S3Request } from './http/s3-request.ts'
import type { Operation } from './operation.ts'
import {
  createBucket,
  deleteBucket,
  getBucketAcl,
  getBucketLocation,
  getBucketVersioning,
  headBucket,
  listBuckets,
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

/**
 * By method and resource, then the query argument or the header that selects an operation. In order: one with a condition
 * comes before the one without.
 */
const routes: Readonly<Record<string, Operation>> = {
  'GET service': listBuckets,

  'GET bucket ?versions': listObjectVersions,
  'GET bucket ?uploads': listMultipartUploads,
  'GET bucket ?list-type': listObjectsV2,
  'GET bucket ?location': getBucketLocation,
  'GET bucket ?versioning': getBucketVersioning,
  'GET bucket ?acl': getBucketAcl,
  'GET bucket': listObjects,
  'PUT bucket': createBucket,
  'HEAD bucket': headBucket,
  'DELETE bucket': deleteBucket,
  'POST bucket ?delete': deleteObjects,

  'GET object ?tagging': getObjectTagging,
  'GET object ?acl': getObjectAcl,
  'GET object ?uploadId': listParts,
  'GET object': getObject,
  'HEAD object': headObject,
  'PUT object ?partNumber x-amz-copy-source': uploadPartCopy,
  'PUT object ?partNumber': uploadPart,
  'PUT object x-amz-copy-source': copyObject,
  'PUT object': putObject,
  'POST object ?uploads': createMultipartUpload,
  'POST object ?uploadId': completeMultipartUpload,
  'DELETE object ?uploadId': abortMultipartUpload,
  'DELETE object': deleteObject,
}

const table = Object.entries(routes).map(([route, operation]) => {
  const [method, on, ...conditions] = route.split(' ')
  return { method, on, conditions, operation }
})

/**
 * The operation that a request is for.
 *
 * Throws NotImplemented for a query argument that the operation does not know, with its name: ignoring `?acl` would
 * store the policy as an object. Throws MethodNotAllowed for a method that has no operation at all.
 */
export const findOperation = ({ method, bucket, key, query, headers }: S3Request): Operation => {
  const on = bucket === '' ? 'service' : key === '' ? 'bucket' : 'object'
  const route = table.find(
    one =>
      one.method === method &&
      one.on === on &&
      one.conditions.every(name => headers[name] !== undefined || query[name.replace('?', '')] !== undefined),
  )
  const known = [
    ...(route?.conditions.map(name => name.replace('?', '')) ?? []),
    ...(route?.operation.query ?? []),
  ]
  const unknown = Object.keys(query).find(name => !known.includes(name) && !isForTheRecord(name))
  if (unknown !== undefined) {
    const what = `The query argument "${unknown}" of this request is not implemented.`
    throw new S3Error('NotImplemented', what, { QueryArgument: unknown })
  }
  if (route === undefined)
    throw new S3Error('MethodNotAllowed', undefined, { Method: method, ResourceType: on })
  return route.operation
}

// `x-id` names the operation in SDK requests and `X-Amz-*` are the signature's; S3 ignores any other `x-`.
const isForTheRecord = (name: string): boolean =>
  name.toLowerCase().startsWith('x-') || ['AWSAccessKeyId', 'Expires', 'Signature'].includes(name)
