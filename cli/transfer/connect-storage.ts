import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'
import { directRanges } from '../../functions/lib/cloud/multipart/direct-ranges.ts'
import {
  createStorageClient,
  type PreparedFile,
  type ReadableFile,
  type StorageClient,
} from '../../functions/lib/storage-client/storage-client.ts'
import { exchangeWithGrants } from '../connect/exchange-with-grants.ts'
import type { StorageAddress } from '../connect/find-storage.ts'

export const connectStorage = ({ url, token }: StorageAddress) => {
  const storage = createStorageClient({ baseUrl: url, token, exchange: exchangeWithGrants })
  const clients: S3Client[] = []
  const ranges = directRanges()
  return {
    storage,
    /** Receives ranges of objects faster than the SDK does. */
    receive: ranges.receive,
    /** A client for the objects of one file, with the credentials of that file, renewed while it is used. */
    s3For: (file: ReadableFile | PreparedFile): S3Client => {
      const { bucket, credentials } =
        'uploadParams' in file
          ? file.uploadParams
          : { bucket: file.s3Path.bucket, credentials: file.credentials }
      const client = new S3Client({
        region: file.region,
        credentials: renewedCredentials(storage, file.id, credentials),
        ...storeOf(file.url, bucket),
      })
      clients.push(client)
      return client
    },
    close: () => {
      ranges.close()
      for (const client of clients) client.destroy()
    },
  }
}

export type StorageConnection = ReturnType<typeof connectStorage>

/**
 * The endpoint of the object store. The API does not name it, but the signed address of each file points there. The SDK's
 * own variable (`AWS_ENDPOINT_URL_S3`) wins.
 */
const storeOf = (url: string | undefined, bucket: string) => {
  const isSet = Boolean(process.env['AWS_ENDPOINT_URL_S3'] || process.env['AWS_ENDPOINT_URL'])
  if (isSet) return { forcePathStyle: true }
  if (url === undefined || !URL.canParse(url)) return {}
  const { origin, hostname, pathname } = new URL(url)
  if (/\.amazonaws\.com(\.cn)?$/.test(hostname)) return {}
  const isPathStyle = pathname.startsWith(`/${bucket}/`)
  return isPathStyle ? { endpoint: origin, forcePathStyle: true } : {}
}

type FileCredentials = PreparedFile['uploadParams']['credentials']

/**
 * The temporary credentials of a file, first those that came with it. They are renewed by requesting the file again, some minutes
 * before they expire.
 */
const renewedCredentials = (
  storage: StorageClient,
  fileId: number,
  first: FileCredentials | undefined,
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
