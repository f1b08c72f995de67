import type { Logger } from '@aws-lambda-powertools/logger'
import { readEnv } from '../lib/aws/env.ts'
import { createS3Client } from '../lib/aws/s3-client.ts'
import { openStorageStores } from '../lib/storage/open-storage-stores.ts'
import { sweepStorageEnvNames } from './env-names.ts'
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

export const run = async (log: Logger) => {
  const swept = await sweepStorage({ ...services, log })
  log.info('swept', { ...swept })
  return swept
}
