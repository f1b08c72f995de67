import { S3Client } from '@aws-sdk/client-s3'
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { renewedCredentials } from '../../functions/lib/storage-client/renewed-credentials.ts'
import {
  createStorageClient,
  type PreparedFile,
  type ReadableFile,
  type StorageClient,
} from '../../functions/lib/storage-client/storage-client.ts'
import { fetchStorageToken } from '../../functions/lib/storage-client/storage-token.ts'
import { findRunningCloud } from '../../local/runtime/running-cloud.ts'
import type { StorageFlags } from '../storage-options.ts'

interface StorageAddress {
  url: string
  token: string
}

/**
 * Address and token: those given, else `MILLRACE_URL` and `MILLRACE_TOKEN`, else those of the embedded cloud that runs
 * on `MILLRACE_DATA_DIR`. A token is sent only to an address that the user or that cloud gave.
 */
export const findStorage = async (
  options: StorageFlags,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<StorageAddress> => {
  const url = options.url ?? (environment['MILLRACE_URL'] || undefined)
  const token = options.token ?? (environment['MILLRACE_TOKEN'] || undefined)
  if (url !== undefined) {
    if (token === undefined)
      throw new UserError('cli.noToken', `Which token is for ${url}? Set MILLRACE_TOKEN or give --token.`)
    return { url, token }
  }
  const dataDir = environment['MILLRACE_DATA_DIR'] || '.millrace'
  const cloud = await findRunningCloud(dataDir)
  if (!cloud) {
    throw new UserError(
      'cli.noStorage',
      `Which storage service? Give --url and --token, set MILLRACE_URL and MILLRACE_TOKEN, or start the embedded ` +
        `cloud with npm start (none runs on ${dataDir}).`,
    )
  }
  if (token !== undefined) return { url: cloud.api, token }
  const secrets = new SecretsManagerClient({
    endpoint: cloud.control,
    region: cloud.region,
    credentials: { accessKeyId: cloud.accessKeyId, secretAccessKey: cloud.secretAccessKey },
  })
  try {
    const secretArn = cloud.outputs['StorageTokenSecret']
    if (secretArn === undefined)
      throw new UserError('cli.noToken', 'The embedded cloud has no token: give --token.')
    return { url: cloud.api, token: await fetchStorageToken(secrets, secretArn) }
  } finally {
    secrets.destroy()
  }
}

export interface StorageConnection {
  storage: StorageClient
  /** A client for the objects of one file, with the credentials of that file, renewed while it is used. */
  s3For: (file: ReadableFile | PreparedFile) => S3Client
  close: () => void
}

export const connectStorage = ({ url, token }: StorageAddress): StorageConnection => {
  const storage = createStorageClient({ baseUrl: url, token })
  const clients: S3Client[] = []
  return {
    storage,
    s3For: file => {
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
      for (const client of clients) client.destroy()
    },
  }
}

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
