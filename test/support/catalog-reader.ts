import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import type { ObjectReader } from '#lib/iceberg/object-reader.ts'

/** What a catalog tells an engine about the object store of a table. */
export type StorageConfig = Record<string, string>

/** An S3 client as an engine makes it, from nothing but the configuration that the catalog gave. */
export const s3Of = (config: StorageConfig): S3Client =>
  new S3Client({
    region: config['client.region'] ?? '',
    ...(config['s3.endpoint'] && { endpoint: config['s3.endpoint'] }),
    forcePathStyle: config['s3.path-style-access'] === 'true',
    credentials: {
      accessKeyId: config['s3.access-key-id'] ?? '',
      secretAccessKey: config['s3.secret-access-key'] ?? '',
      sessionToken: config['s3.session-token'] ?? '',
    },
    maxAttempts: 1,
  })

/** Reads `s3://` locations with a client. */
export const readerOf =
  (s3: S3Client): ObjectReader =>
  async location => {
    const [, Bucket, Key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(location) ?? []
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }))
    if (!Body) throw new Error(`${location} has no body`)
    return Body.transformToByteArray()
  }
