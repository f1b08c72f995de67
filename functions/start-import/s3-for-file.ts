import type { S3Client } from '@aws-sdk/client-s3'
import { s3WithCredentials } from '../lib/storage-client/s3-with-credentials.ts'
import type { PreparedFile } from '../lib/storage-client/storage-client.ts'

/** A client that may write the prepared file. */
export const s3ForFile = ({ region, uploadParams }: PreparedFile): S3Client =>
  s3WithCredentials(region, uploadParams.credentials)
