import type { S3Client } from '@aws-sdk/client-s3'
import { deleteObjects } from '../../aws/delete-objects.ts'
import { listKeys } from '../../aws/list-objects.ts'
import type { FileRecord } from './file-store.ts'

/** Deletes the object of a file, or the slices and the manifest of a sliced one. Idempotent. */
export const deleteFileObjects = (
  s3: S3Client,
  bucket: string,
  { key, isSliced }: Pick<FileRecord, 'key' | 'isSliced'>,
): Promise<void> => deleteObjects(s3, bucket, isSliced ? listKeys(s3, { bucket, prefix: key }) : [key])
