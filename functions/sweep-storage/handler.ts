import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { readEnv } from '../lib/env.ts'
import { lambdaHandler } from '../lib/lambda-handler.ts'
import { createS3Client } from '../lib/s3-client.ts'
import { createItemTable } from '../lib/storage-store/item-table.ts'
import { createStorageStores } from '../lib/storage-store/storage-stores.ts'
import { sweepStorageEnvNames } from './env-names.ts'
import { sweepStorageEvent } from './event.ts'
import { sweepStorage } from './sweep-storage.ts'

const env = readEnv(sweepStorageEnvNames)
const now = () => new Date()
const s3 = createS3Client()
const documents = DynamoDBDocumentClient.from(new DynamoDBClient({}), {
  marshallOptions: { removeUndefinedValues: true },
})
const services = {
  ...createStorageStores({
    items: createItemTable(documents, env.STORAGE_TABLE),
    s3,
    tablesBucket: env.TABLES_BUCKET,
    now,
  }),
  s3,
  filesBucket: env.FILES_BUCKET,
  tablesBucket: env.TABLES_BUCKET,
  now,
}

/** Removes what nobody can ask for any more: files past their age, and files of tables that nothing names. */
export const handler = lambdaHandler({
  service: 'sweep-storage',
  event: sweepStorageEvent,
  run: async (_, { logger }) => {
    const swept = await sweepStorage({ ...services, log: logger })
    logger.info('swept', { ...swept })
    return swept
  },
})
