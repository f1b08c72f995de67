import type { Logger } from '@aws-lambda-powertools/logger'
import { SFNClient } from '@aws-sdk/client-sfn'
import { createMeasure } from '../lib/aws/create-measure.ts'
import { readEnv } from '../lib/aws/env.ts'
import { createTableRequests } from '../lib/aws/table-requests.ts'
import { createIdSource } from '../lib/storage/db/ids.ts'
import { createItemTable } from '../lib/storage/db/item-table.ts'
import { readShareLimits } from '../lib/storage/jobs/job-shares.ts'
import { createJobStore } from '../lib/storage/jobs/job-store.ts'
import { createJobStarter } from '../lib/storage/jobs/start-next.ts'
import { createTableQueue } from '../lib/storage/jobs/table-queue.ts'
import { createDescribeRun, type DescribeRun } from '../lib/storage/runs/describe-run.ts'
import { createRunRecords, type RunRecords } from '../lib/storage/runs/run-records.ts'
import { startOpenJobs } from './start-open-jobs.ts'

const env = readEnv([
  /** DynamoDB table of the service's items. */
  'STORAGE_TABLE',
  /** State machine that runs jobs. */
  'JOB_MACHINE_ARN',
  /** Runs, and other jobs, of one token and of the project that are under way at a time: a JSON object. */
  'SHARES',
  /** State machine of extractions; `none` in a stack that has none. */
  'EXTRACT_MACHINE_ARN',
])
/** The variables that the function's construct must set. */
export type StartOpenJobsEnv = keyof typeof env

const items = createItemTable(createTableRequests(), env.STORAGE_TABLE)
const client = new SFNClient({})
const now = () => new Date()
const services = {
  jobs: createJobStore(items, createIdSource(), readShareLimits(env)),
  inBranch: (branchId: number) => ({ queue: createTableQueue(items, branchId) }),
  startJob: createJobStarter(client, env.JOB_MACHINE_ARN),
  now,
}
const lostRun = {
  runs: createRunRecords(items),
  describe: createDescribeRun(client, env.EXTRACT_MACHINE_ARN),
  now,
}
const measure = createMeasure('jobs')

export const run = async (log: Logger) => {
  const result = await startOpenJobs({ ...services, log })
  measure({ OpenJobs: result.openJobs, OldestWaitingSeconds: result.oldestWaitingSeconds })
  // After the jobs: a run that cannot be looked after must not keep them waiting. A stack without extractions has none.
  const endedRun = await endLostRun(lostRun)
  if (endedRun !== undefined) log.warn('the end of a run was never told', { runId: endedRun })
  return result
}

/** The event of an end comes within seconds. */
const LOST_MS = 10 * 60_000

interface LostRunServices {
  runs: Pick<RunRecords, 'longestOpen' | 'noteLook' | 'get' | 'end'>
  describe: DescribeRun
  now: () => Date
}

/**
 * Looks after the run that nobody has looked after for longest, of those that are open for ten minutes, and ends it when
 * the event of its end got lost. It asks Step Functions about one run a minute.
 */
export const endLostRun = async ({ runs, describe, now }: LostRunServices): Promise<string | undefined> => {
  const open = await runs.longestOpen()
  if (open === undefined || now().getTime() - open.lookedAt.getTime() < LOST_MS) return undefined
  const known = await runs.get(open.name)
  const found = known?.status === 'RUNNING' ? await describe(open.name) : known
  if (found?.status === 'RUNNING') {
    await runs.noteLook(open, now())
    return undefined
  }
  // One that Step Functions has forgotten was stopped, as far as anybody knows.
  await runs.end(
    found ?? { startDate: open.lookedAt, ...known, name: open.name, status: 'ABORTED', stopDate: now() },
  )
  return open.name
}
