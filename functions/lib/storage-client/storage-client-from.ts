import { executionName } from '../aws/execution-name.ts'
import { readSecret } from '../cloud/read-secret.ts'
import type { Connection } from './request.ts'
import { createStorageClient, type StorageClient } from './storage-client.ts'
import { fetchStorageToken } from './storage-token.ts'

interface StorageEnvironment {
  STORAGE_URL: string
  STORAGE_TOKEN_SECRET_ARN: string
}

/** Address of the service and the stack's own token, from the environment. */
export const storageConnectionFrom = async (env: StorageEnvironment): Promise<Connection> => ({
  baseUrl: env.STORAGE_URL,
  token: await fetchStorageToken(env.STORAGE_TOKEN_SECRET_ARN, readSecret),
  readTokenAgain: () => fetchStorageToken(env.STORAGE_TOKEN_SECRET_ARN, readSecret, { isRefused: true }),
})

/**
 * The client for the service of the environment, for steps of a machine, which waits for their jobs. `execution`: its name is
 * stored as run id with what the client makes.
 */
export const storageClientFrom = async (
  env: StorageEnvironment,
  { execution }: { execution?: string } = {},
): Promise<StorageClient> =>
  createStorageClient({
    ...(await storageConnectionFrom(env)),
    waitsForJobs: true,
    ...(execution !== undefined && { runId: executionName(execution) }),
  })
