import type { S3Client } from '@aws-sdk/client-s3'
import { createS3Client } from '../aws/s3-client.ts'
import type { FileCredentials } from './wire.ts'

/** An S3 client with the temporary credentials of a file, in the file's region. */
export const s3WithCredentials = (region: string, credentials: FileCredentials): S3Client =>
  createS3Client({
    region,
    credentials: {
      accessKeyId: credentials.AccessKeyId,
      secretAccessKey: credentials.SecretAccessKey,
      sessionToken: credentials.SessionToken,
    },
  })
