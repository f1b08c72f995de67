import type { Logger } from '@aws-lambda-powertools/logger'
import { SFNClient } from '@aws-sdk/client-sfn'
import { z } from 'zod'
import { readEnv } from '../lib/aws/env.ts'
import { createS3Client } from '../lib/aws/s3-client.ts'
import { createJobStarter } from '../lib/storage/jobs/job-starter.ts'
import { openStorageStores } from '../lib/storage/open-storage-stores.ts'
import { fireTriggersEnvNames } from './env-names.ts'
import { fireTriggers } from './fire-triggers.ts'

const env = readEnv(fireTriggersEnvNames)
const now = () => new Date()
const services = {
  ...openStorageStores(env, createS3Client(), now),
  startJob: createJobStarter(new SFNClient({}), env.JOB_MACHINE_ARN),
  baseUrl: env.STORAGE_URL,
  runnableComponents: z.array(z.string()).parse(JSON.parse(env.RUNNABLE_COMPONENTS)),
  now,
}

export const run = (log: Logger) => fireTriggers({ ...services, log })
