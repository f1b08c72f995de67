import { readEnv } from '../lib/aws/env.ts'
import { lambdaHandler } from '../lib/aws/lambda-handler.ts'
import { createS3Client } from '../lib/aws/s3-client.ts'
import { openStorageStores } from '../lib/storage/open-storage-stores.ts'
import { sweepStorageEnvNames } from './env-names.ts'
import { sweepStorageEvent } from './event.ts'
import { sweepStorage } from './sweep-storage.ts'

const env = readEnv(sweepStorageEnvNames)
const now = () => new Date()
const s3 = createS3Client()
const services = {
  ...openStorageStores(env, s3, now),
  s3,
  filesBucket: env.FILES_BUCKET,
  tablesBucket: env.TABLES_BUCKET,
  now,
}

/** Removes what nobody can use any more: expired files, and table files that nothing refers to. */
export const handler = lambdaHandler({
  service: 'sweep-storage',
  event: sweepStorageEvent,
  run: async (_, { logger }) => {
    const swept = await sweepStorage({ ...services, log: logger })
    logger.info('swept', { ...swept })
    return swept
  },
})
