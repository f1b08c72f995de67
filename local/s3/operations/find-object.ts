import { accessOf, bucketArn } from '../auth/access.ts'
import { S3Error } from '../errors.ts'
import type { S3Request } from '../http/s3-request.ts'
import type { S3Context } from '../operation.ts'
import type { StoredVersion } from '../storage/stored-object.ts'

/**
 * The object, or the version of it, that a read names.
 *
 * Throws NoSuchBucket, NoSuchKey, NoSuchVersion, and MethodNotAllowed for a delete marker named by its id. A caller who
 * may not list the key must not learn whether it exists and gets AccessDenied (S3 API Reference, GetObject,
 * "Permissions").
 */
export const findObject = (
  request: S3Request,
  { store, isAllowed }: S3Context,
  { bucket, key, versionId }: { bucket: string; key: string; versionId: string | undefined },
): StoredVersion => {
  store.buckets.get(bucket)
  const version = store.objects.find(bucket, key, versionId)
  if (version !== undefined && !version.isDeleteMarker) return version

  const marker = version && { 'x-amz-delete-marker': 'true', 'x-amz-version-id': version.versionId }
  if (versionId !== undefined && marker !== undefined)
    throw new S3Error('MethodNotAllowed', undefined, {}, { ...marker, allow: 'DELETE' })
  const list = accessOf(request, 's3:ListBucket', bucketArn(bucket))
  // Who may list the keys that begin with this one learns nothing new.
  const listKey = { ...list, context: { ...list.context, 's3:prefix': key } }
  if (![list, listKey].some(access => isAllowed(request.caller.principal, access)))
    throw new S3Error('AccessDenied')
  if (versionId !== undefined)
    throw new S3Error('NoSuchVersion', undefined, { Key: key, VersionId: versionId })
  throw new S3Error('NoSuchKey', undefined, { Key: key }, marker)
}
