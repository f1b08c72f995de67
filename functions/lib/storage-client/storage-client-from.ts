import { executionName } from '../cloud/execution-name.ts'
import { readSecret } from '../cloud/read-secret.ts'
import type { Connection } from './request.ts'
import { createStorageClient } from './storage-client.ts'
import { createFetchToken } from './storage-token.ts'

interface StorageEnvironment {
  STORAGE_URL: string
  STORAGE_TOKEN_SECRET_ARN: string
}

/** The service of the environment. */
export const openStorage = ({ STORAGE_URL, STORAGE_TOKEN_SECRET_ARN }: StorageEnvironment) => {
  const fetchToken = createFetchToken(STORAGE_TOKEN_SECRET_ARN, readSecret)
  /** Address of the service and the stack's own token. */
  const connection = async (): Promise<Connection> => ({
    baseUrl: STORAGE_URL,
    token: await fetchToken(),
    readTokenAgain: () => fetchToken({ isRefused: true }),
  })
  return {
    connection,
    /** For steps of a machine, which wait for their jobs. `execution`: its name is stored as run id with what the client makes. */
    client: async ({ execution }: { execution?: string } = {}) =>
      createStorageClient({
        ...(await connection()),
        waitsForJobs: true,
        ...(execution !== undefined && { runId: executionName(execution) }),
      }),
  }
}
