import type { S3ClientConfig } from '@aws-sdk/client-s3'

/** 32 copies and three assemblies of 8 reads each. S3 may send nothing while it copies a part of 5 GiB. */
export const S3_REQUEST_HANDLER: NonNullable<S3ClientConfig['requestHandler']> = {
  connectionTimeout: 5_000,
  socketTimeout: 120_000,
  httpAgent: { maxSockets: 128, keepAlive: true },
  httpsAgent: { maxSockets: 128, keepAlive: true },
}
