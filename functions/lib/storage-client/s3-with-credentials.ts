import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import { createS3Client } from '../cloud/s3-client.ts'
import type { ObjectStore } from '../env.ts'
import type { FileCredentials } from './wire.ts'

/** An S3 client with the temporary credentials of a file, in the file's region. */
type S3With = (region: string, credentials: FileCredentials, config?: S3ClientConfig) => S3Client

export const createS3With =
  (store: ObjectStore): S3With =>
  (region, { AccessKeyId, SecretAccessKey, SessionToken }, config) =>
    createS3Client(store, {
      ...config,
      region,
      credentials: { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken },
    })
