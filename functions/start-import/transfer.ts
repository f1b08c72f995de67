import type { S3Client } from '@aws-sdk/client-s3'
import { copyObject } from '../lib/multipart/copy-object.ts'
import { moveObject } from '../lib/multipart/move-object.ts'
import type { SourceObject } from '../lib/multipart/source-object.ts'
import type { PreparedFile } from '../lib/storage-client/storage-client.ts'

export type Transfer = (source: SourceObject, file: PreparedFile) => Promise<void>

export interface TransferOptions {
  /** Reads the landing bucket, and writes the files bucket when it is ours. */
  s3: S3Client
  /** The bucket that `s3` may write to; any other is reached with the file's own credentials. */
  ownFilesBucket: string
  s3ForFile: (file: PreparedFile) => S3Client
}

/**
 * Copies inside S3 when the service's bucket belongs to this stack, and streams through memory when it does not: the
 * credentials of a hosted service's file cannot read our landing bucket.
 */
export const createTransfer =
  ({ s3, ownFilesBucket, s3ForFile }: TransferOptions): Transfer =>
  async (source, file) => {
    const { bucket, key, 'x-amz-server-side-encryption': serverSideEncryption } = file.uploadParams
    const destination = { bucket, key, serverSideEncryption }
    if (bucket === ownFilesBucket) await copyObject(s3, source, destination)
    else await moveObject(source, { ...destination, s3: s3ForFile(file) })
  }
