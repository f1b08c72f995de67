import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import { createS3Client } from '../lib/aws/s3-client.ts'
import type { ReadableFile } from '../lib/storage-client/storage-client.ts'

/** 32 copies and three assemblies of 8 reads each. S3 may send nothing while it copies a part of 5 GiB. */
export const S3_REQUEST_HANDLER: NonNullable<S3ClientConfig['requestHandler']> = {
  connectionTimeout: 5_000,
  socketTimeout: 120_000,
  httpAgent: { maxSockets: 128, keepAlive: true },
  httpsAgent: { maxSockets: 128, keepAlive: true },
}

/** An S3 client with the temporary credentials of the file, in the file's region. */
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
