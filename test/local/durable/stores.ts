import { join } from 'node:path'
import { S3Client } from '@aws-sdk/client-s3'
import { createItemTable } from '#lib/items/item-table.ts'
import type { DurableFiles } from '#local/durable/durable-files.ts'
import { ItemDatabase } from '#local/items/item-database.ts'
import { ExecutionStore } from '#local/machines/execution-store.ts'
import { rootCredentials } from '#local/runtime/data-dir.ts'
import { openKey } from '#local/runtime/keys.ts'
import { openSecrets } from '#local/runtime/secrets.ts'
import { startEmbeddedS3 } from '#local/s3/server.ts'
import { testRoot } from '../../support/embedded-s3.ts'

export const keyArn = 'arn:aws:kms:us-east-1:000000000000:key/test'

/** Every store of the embedded cloud on one folder, as the runtime opens them. */
export const openStores = async (dataDir: string, files: DurableFiles, log: (line: string) => void) => {
  const within = (name: string) => join(dataDir, name)
  await using opening = new AsyncDisposableStack()
  const { value: root } = await rootCredentials(within('root-credentials.json'), files, log)
  const items = await ItemDatabase.open(within('items'), files)
  opening.defer(() => items.close())
  const s3 = await startEmbeddedS3({ dataDir: within('s3'), root: testRoot, files })
  opening.defer(() => s3.close())
  const executions = await ExecutionStore.open(within('executions'), { files, log })
  const keys = await openKey(within('keys'), keyArn, { files, log })
  const secrets = await openSecrets(within('secrets'), { projectId: '1', files, log })
  const common = { region: 'us-east-1', maxAttempts: 1 }
  const s3Client = new S3Client({
    ...common,
    endpoint: s3.endpoint,
    forcePathStyle: true,
    credentials: testRoot,
  })
  opening.defer(() => s3Client.destroy())
  const resources = opening.move()
  return {
    root,
    s3,
    s3Client,
    items: createItemTable(items.table('items')),
    executions,
    keys,
    secret: secrets.value,
    close: () => resources.disposeAsync(),
  }
}

export type Stores = Awaited<ReturnType<typeof openStores>>
