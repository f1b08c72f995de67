import type { S3Client } from '@aws-sdk/client-s3'
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
