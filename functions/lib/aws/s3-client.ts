import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'

/**
 * An S3 client for the endpoint of the environment.
 *
 * With an endpoint of our own (`AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL`) buckets are addressed by path, because
 * `<bucket>.127.0.0.1` is no host name. Without one the client uses S3. `config` overrides both. The SDK reads the endpoint from
 * the environment by itself: who handed it down would have to do so to both.
 */
export const createS3Client = (config: S3ClientConfig = {}): S3Client => {
  const hasOwnEndpoint = Boolean(process.env['AWS_ENDPOINT_URL_S3'] || process.env['AWS_ENDPOINT_URL'])
  return new S3Client({ ...(hasOwnEndpoint && { forcePathStyle: true }), ...config })
}
