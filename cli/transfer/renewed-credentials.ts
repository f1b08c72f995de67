import type { S3ClientConfig } from '@aws-sdk/client-s3'
import type { StorageClient } from '../../functions/lib/storage-client/storage-client.ts'
import type { PreparedFile } from '../../functions/lib/storage-client/wire.ts'

type FileCredentials = PreparedFile['uploadParams']['credentials']

/**
 * The temporary credentials of a file. They are renewed by requesting the file again, some minutes before they expire.
 *
 * `first` are the credentials that came with the file, if any.
 */
export const renewedCredentials = (
  storage: Pick<StorageClient, 'file'>,
  fileId: number,
  first?: FileCredentials,
): NonNullable<S3ClientConfig['credentials']> => {
  let known = first
  return async () => {
    const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } =
      known ?? (await storage.file(fileId)).credentials
    known = undefined
    const expiration = new Date(Expiration)
    return {
      accessKeyId: AccessKeyId,
      secretAccessKey: SecretAccessKey,
      sessionToken: SessionToken,
      ...(Number.isNaN(expiration.getTime()) ? {} : { expiration }),
    }
  }
}
