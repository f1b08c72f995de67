import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import type { ObjectStore } from '../env.ts'

/** A client of the object store. In one of our own buckets are addressed by path, because `<bucket>.127.0.0.1` is no host name. */
export const createS3Client = ({ s3Endpoint }: ObjectStore, config: S3ClientConfig = {}): S3Client =>
  new S3Client({ ...(s3Endpoint && { endpoint: s3Endpoint, forcePathStyle: true }), ...config })
