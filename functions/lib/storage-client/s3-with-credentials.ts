import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import { createS3Client } from '../aws/s3-client.ts'
import type { FileCredentials } from './wire.ts'

/** An S3 client with the temporary credentials of a file, in the file's region. */
export const s3WithCredentials = (
  region: string,
  { AccessKeyId, SecretAccessKey, SessionToken }: FileCredentials,
  config: S3ClientConfig = {},
): S3Client =>
  createS3Client({
    ...config,
    region,
    credentials: { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken },
  })
