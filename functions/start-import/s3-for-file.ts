import type { S3Client } from '@aws-sdk/client-s3'
import { createS3Client } from '../lib/s3-client.ts'
import type { PreparedFile } from '../lib/storage-client/storage-client.ts'

/** A client that may do what the file's temporary credentials allow, in the file's region. */
export const s3ForFile = ({ region, uploadParams: { credentials } }: PreparedFile): S3Client =>
  createS3Client({
    region,
    credentials: {
      accessKeyId: credentials.AccessKeyId,
      secretAccessKey: credentials.SecretAccessKey,
      sessionToken: credentials.SessionToken,
    },
  })
