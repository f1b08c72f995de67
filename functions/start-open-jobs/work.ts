import type { Logger } from '@aws-lambda-powertools/logger'
import { createMeasure } from '../lib/cloud/create-measure.ts'
import { openItemTable } from '../lib/cloud/open-items.ts'
import { describeExecution, openMachines, startExecution } from '../lib/cloud/step-functions.ts'
import type { Environment } from '../lib/env.ts'
import { createIdSource } from '../lib/storage/db/ids.ts'
import { createJobStore } from '../lib/storage/jobs/job-store.ts'
import { createJobStarter } from '../lib/storage/jobs/start-next.ts'
import { createTableQueue } from '../lib/storage/jobs/table-queue.ts'
import { createDescribeRun } from '../lib/storage/runs/describe-run.ts'
import { createRunRecords } from '../lib/storage/runs/run-records.ts'
import { endLostRun } from './end-lost-run.ts'
import { startOpenJobs } from './start-open-jobs.ts'

/** The variables that the function's construct must set. */
export const variables = [
  /** DynamoDB table of the service's items. */
  'STORAGE_TABLE',
  /** State machine that runs jobs. */
  'JOB_MACHINE_ARN',
  /** State machine of extractions; `none` in a stack that has none. */
  'EXTRACT_MACHINE_ARN',
] as const
export type StartOpenJobsEnv = (typeof variables)[number]

export const open = (env: Environment<StartOpenJobsEnv>) => {
  const items = openItemTable(env.STORAGE_TABLE)
  const machines = openMachines({ start: startExecution, describe: describeExecution })
  const now = () => new Date()
  const services = {
    jobs: createJobStore(items, createIdSource()),
    inBranch: (branchId: number) => ({ queue: createTableQueue(items, branchId) }),
    startJob: createJobStarter(machines, env.JOB_MACHINE_ARN),
    now,
  }
  const lostRun = {
    runs: createRunRecords(items),
    describe: createDescribeRun(machines, env.EXTRACT_MACHINE_ARN),
    now,
  }
  const measure = createMeasure('jobs')

  return async (log: Logger) => {
    const result = await startOpenJobs({ ...services, log })
    measure({ OpenJobs: result.openJobs, OldestWaitingSeconds: result.oldestWaitingSeconds })
    // After the jobs: a run that cannot be looked after must not keep them waiting. A stack without extractions has none.
    const endedRun = await endLostRun(lostRun)
    if (endedRun !== undefined) log.warn('the end of a run was never told', { runId: endedRun })
    return result
  }
}
