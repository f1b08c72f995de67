import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import type { FilePlace } from '../lib/storage/files/list-slices.ts'
import type { ReadableFile, StorageClient } from '../lib/storage-client/storage-client.ts'

/** Everything that the steps of an export need. */
export interface MergeSlicesServices {
  /** Writes destinations and the work prefix, and reads the files bucket when it is ours. */
  s3: S3Client
  storage: StorageClient
  /** The bucket whose files `s3` may read. */
  filesBucket: string
  workBucket: string
  /** A client with the credentials of one file, for files elsewhere. */
  s3ForFile: (file: ReadableFile) => S3Client
  log: { warn(message: string, extra: Record<string, unknown>): void }
}

/** 32 copies and three assemblies of 8 reads each. S3 may send nothing while it copies a part of 5 GiB. */
export const S3_REQUEST_HANDLER: NonNullable<S3ClientConfig['requestHandler']> = {
  connectionTimeout: 5_000,
  socketTimeout: 120_000,
  httpAgent: { maxSockets: 128, keepAlive: true },
  httpsAgent: { maxSockets: 128, keepAlive: true },
}

/**
 * Where a file lies, with our own rights in the bucket of this stack. Otherwise with the credentials that the service issues for
 * the file. They are valid for an hour and a step takes at most fifteen minutes, so each step asks for new ones.
 *
 * `canCopy`: the same client may write the destination too, so that S3 copies by itself.
 */
export const openFile = async (
  fileId: number,
  { storage, s3, filesBucket, s3ForFile }: MergeSlicesServices,
): Promise<FilePlace & { canCopy: boolean }> => {
  const file = await storage.file(fileId)
  const { bucket, key } = file.s3Path
  const canCopy = bucket === filesBucket
  return { s3: canCopy ? s3 : s3ForFile(file), bucket, key, isSliced: file.isSliced, canCopy }
}
