import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { createStorageClient, type StorageClient } from './storage-client.ts'
import { fetchStorageToken } from './storage-token.ts'

const secrets = new SecretsManagerClient({})

/** The client that a function's environment describes. The token is read once per container. */
export const storageClientFrom = async (
  env: {
    STORAGE_URL: string
    STORAGE_TOKEN_SECRET_ARN: string
  },
  options: { runId?: string } = {},
): Promise<StorageClient> =>
  createStorageClient({
    baseUrl: env.STORAGE_URL,
    token: await fetchStorageToken(secrets, env.STORAGE_TOKEN_SECRET_ARN),
    ...options,
  })
