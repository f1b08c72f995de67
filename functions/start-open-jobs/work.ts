import type { Logger } from '@aws-lambda-powertools/logger'
import { SFNClient } from '@aws-sdk/client-sfn'
import { createMeasure } from '../lib/aws/create-measure.ts'
import { readEnv } from '../lib/aws/env.ts'
import { createTableRequests } from '../lib/aws/table-requests.ts'
import { createIdSource } from '../lib/storage/db/ids.ts'
import { createItemTable } from '../lib/storage/db/item-table.ts'
import { readShareLimits } from '../lib/storage/jobs/job-shares.ts'
import { createJobStarter } from '../lib/storage/jobs/job-starter.ts'
import { createJobStore } from '../lib/storage/jobs/job-store.ts'
import { createTableQueue } from '../lib/storage/jobs/table-queue.ts'
import { startOpenJobs } from './start-open-jobs.ts'

const env = readEnv([
  /** DynamoDB table of the service's items. */
  'STORAGE_TABLE',
  /** State machine that runs jobs. */
  'JOB_MACHINE_ARN',
  /** Runs, and other jobs, of one token that are under way at a time. */
  'RUNS_PER_TOKEN',
  'JOBS_PER_TOKEN',
])
/** The variables that the function's construct must set. */
export type StartOpenJobsEnv = keyof typeof env

const items = createItemTable(createTableRequests(), env.STORAGE_TABLE)
const services = {
  jobs: createJobStore(items, createIdSource(), readShareLimits(env)),
  inBranch: (branchId: number) => ({ queue: createTableQueue(items, branchId) }),
  startJob: createJobStarter(new SFNClient({}), env.JOB_MACHINE_ARN),
  now: () => new Date(),
}
const measure = createMeasure('jobs')

export const run = async (log: Logger) => {
  const result = await startOpenJobs({ ...services, log })
  measure({ OpenJobs: result.openJobs, OldestWaitingSeconds: result.oldestWaitingSeconds })
  return result
}
