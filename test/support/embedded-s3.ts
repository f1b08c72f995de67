import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { S3Client } from '@aws-sdk/client-s3'
import { type EmbeddedS3, type EmbeddedS3Options, startEmbeddedS3 } from '../../local/s3/server.ts'

export const testRoot = { accessKeyId: 'AKIATEST', secretAccessKey: 'test-secret' }

export interface TestS3 {
  s3: EmbeddedS3
  /** A client with the account's own key. */
  client: S3Client
  dataDir: string
  /** A client with other credentials. */
  clientOf: (credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string }) => S3Client
  /** Ends the server and removes its folder, unless `dataDir` was given. */
  close: () => Promise<void>
}

/** An embedded S3 on a random port, in a temporary folder unless `dataDir` is given. */
export const startTestS3 = async (options: Partial<EmbeddedS3Options> = {}): Promise<TestS3> => {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'embedded-s3-')))
  const s3 = await startEmbeddedS3({ root: testRoot, ...options, dataDir })
  const clients: { destroy(): void }[] = []
  const clientOf: TestS3['clientOf'] = credentials => {
    const client = new S3Client({
      endpoint: s3.endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials,
      maxAttempts: 1,
    })
    clients.push(client)
    return client
  }
  return {
    s3,
    client: clientOf(testRoot),
    clientOf,
    dataDir,
    close: async () => {
      for (const client of clients) client.destroy()
      await s3.close()
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** The files that hold the bytes of objects, as `a/a12…`. */
export const dataFiles = async (dataDir: string): Promise<string[]> =>
  (await readdir(join(dataDir, 'data'), { recursive: true })).filter(name => name.length > 30).sort()
