import { executionName } from '../cloud/execution-name.ts'
import { readSecret } from '../cloud/read-secret.ts'
import type { Connection } from './request.ts'
import { createStorageClient, type StorageClient } from './storage-client.ts'
import { createFetchToken } from './storage-token.ts'

interface StorageEnvironment {
  STORAGE_URL: string
  STORAGE_TOKEN_SECRET_ARN: string
}

interface Storage {
  /** Address of the service and the stack's own token. */
  connection(): Promise<Connection>
  /**
   * The client for steps of a machine, which waits for their jobs. `execution`: its name is stored as run id with what the
   * client makes.
   */
  client(given?: { execution?: string }): Promise<StorageClient>
}

/** The service of the environment. */
export const openStorage = ({ STORAGE_URL, STORAGE_TOKEN_SECRET_ARN }: StorageEnvironment): Storage => {
  const fetchToken = createFetchToken(STORAGE_TOKEN_SECRET_ARN, readSecret)
  const connection = async () => ({
    baseUrl: STORAGE_URL,
    token: await fetchToken(),
    readTokenAgain: () => fetchToken({ isRefused: true }),
  })
  return {
    connection,
    client: async ({ execution } = {}) =>
      createStorageClient({
        ...(await connection()),
        waitsForJobs: true,
        ...(execution !== undefined && { runId: executionName(execution) }),
      }),
  }
}
