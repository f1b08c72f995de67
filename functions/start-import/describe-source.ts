import { HeadObjectCommand, NotFound, type S3Client, S3ServiceException } from '@aws-sdk/client-s3'
import type { SourceObject } from '../lib/cloud/multipart/source-object.ts'
import { UserError } from '../lib/errors/errors.ts'
import type { LandedObject } from '../lib/landed-object.ts'

interface DescribedSource {
  source: SourceObject
  /** User metadata: lower-case names without `x-amz-meta-`. */
  metadata: Record<string, string>
}

/** Throws `UserError` (`landing.objectGone`). */
export const describeSource = async (
  s3: S3Client,
  { bucket, key, versionId }: LandedObject,
): Promise<DescribedSource> => {
  const head = await s3
    .send(new HeadObjectCommand({ Bucket: bucket, Key: key, VersionId: versionId }))
    .catch((cause: unknown) => {
      throw isGone(cause)
        ? new UserError('landing.objectGone', `The object ${key} is no longer in ${bucket}.`, { cause })
        : cause
    })
  const source: SourceObject = {
    s3,
    bucket,
    key,
    versionId: versionId ?? head.VersionId,
    // S3 sends both with every object; their absence would be a contract that changed.
    etag: required(head.ETag, 'ETag'),
    bytes: required(head.ContentLength, 'Content-Length'),
  }
  return { source, metadata: head.Metadata ?? {} }
}

const isGone = (error: unknown): boolean =>
  error instanceof NotFound || (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404)

const required = <T>(value: T | undefined, name: string): T => {
  if (value === undefined) throw new Error(`S3 sent no ${name}`)
  return value
}
