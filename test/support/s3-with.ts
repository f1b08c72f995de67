import { S3Client } from '@aws-sdk/client-s3'

interface TemporaryCredentials {
  AccessKeyId: string
  SecretAccessKey: string
  SessionToken: string
}

/** What handlers do with the credentials of a file, at the endpoint of the test; without one, in an account. */
export const s3WithAt =
  (endpoint: string | undefined) =>
  (region: string, credentials: TemporaryCredentials): S3Client =>
    new S3Client({
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      region,
      credentials: {
        accessKeyId: credentials.AccessKeyId,
        secretAccessKey: credentials.SecretAccessKey,
        sessionToken: credentials.SessionToken,
      },
    })
