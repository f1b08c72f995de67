import type { Logger } from '@aws-lambda-powertools/logger'
import { z } from 'zod'
import { createS3Client } from '../lib/cloud/s3-client.ts'
import { describeExecution, openMachines, startExecution } from '../lib/cloud/step-functions.ts'
import type { Environment } from '../lib/env.ts'
import { createJobStarter } from '../lib/storage/jobs/start-next.ts'
import { openStorageStores } from '../lib/storage/open-storage-stores.ts'
import { fireSchedules } from './fire-schedules.ts'
import { fireTriggers } from './fire-triggers.ts'

/** The variables that the function's construct must set. */
export const variables = [
  /** DynamoDB table of the service's items. */
  'STORAGE_TABLE',
  /** Bucket of the tables, which also holds large configurations. */
  'TABLES_BUCKET',
  /** State machine that runs jobs. */
  'JOB_MACHINE_ARN',
  /** Base URL of the storage service, without `/v2/storage`: addresses in the job begin with it. */
  'STORAGE_URL',
  /** JSON array of the components whose configurations can be run. */
  'RUNNABLE_COMPONENTS',
] as const
export type FireTriggersEnv = (typeof variables)[number]

export const open = (env: Environment<FireTriggersEnv>) => {
  const now = () => new Date()
  const services = {
    ...openStorageStores(env, createS3Client(env), now),
    startJob: createJobStarter(
      openMachines({ start: startExecution, describe: describeExecution }),
      env.JOB_MACHINE_ARN,
    ),
    baseUrl: env.STORAGE_URL,
    runnableComponents: z.array(z.string()).parse(JSON.parse(env.RUNNABLE_COMPONENTS)),
    now,
  }

  return async (log: Logger) => {
    const [triggers, schedules] = await Promise.all(
      [fireTriggers, fireSchedules].map(fire => fire({ ...services, log })),
    )
    return { ...triggers, ...schedules }
  }
}
