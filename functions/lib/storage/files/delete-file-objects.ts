import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  paginateListObjectsV2,
  type S3Client,
} from '@aws-sdk/client-s3'
import type { FileRecord } from './file-store.ts'

/** Deletes the object of a file, or the slices and the manifest of a sliced one. Idempotent. */
export const deleteFileObjects = async (
  s3: S3Client,
  bucket: string,
  { key, isSliced }: Pick<FileRecord, 'key' | 'isSliced'>,
): Promise<void> => {
  if (!isSliced) {
    await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }))
    return
  }
  for await (const page of paginateListObjectsV2({ client: s3 }, { Bucket: bucket, Prefix: key })) {
    const objects = (page.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [{ Key }]))
    if (objects.length === 0) continue
    const { Errors: failed = [] } = await s3.send(
      new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: objects, Quiet: true } }),
    )
    if (failed.length > 0)
      throw new Error(`${failed.length} objects below ${key} could not be deleted: ${failed[0]?.Code}`)
  }
}
