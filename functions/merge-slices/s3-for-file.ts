import type { S3Client } from '@aws-sdk/client-s3'
import { createS3Client } from '../lib/aws/s3-client.ts'
import type { ReadableFile } from '../lib/storage-client/storage-client.ts'
import { S3_REQUEST_HANDLER } from './s3-request-handler.ts'

/** A client that may do what the file's temporary credentials allow, in the file's region. */
export const s3ForFile = ({ region, credentials }: ReadableFile): S3Client =>
  createS3Client({
    region,
    credentials: {
      accessKeyId: credentials.AccessKeyId,
      secretAccessKey: credentials.SecretAccessKey,
      sessionToken: credentials.SessionToken,
    },
    requestHandler: S3_REQUEST_HANDLER,
  })
