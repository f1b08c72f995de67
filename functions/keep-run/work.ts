import { readEnv } from '../lib/aws/env.ts'
import { openItemTable } from '../lib/cloud/open-items.ts'
import { describeExecution, openMachines } from '../lib/cloud/step-functions.ts'
import { createDescribeRun } from '../lib/storage/runs/describe-run.ts'
import { createRunRecords } from '../lib/storage/runs/run-records.ts'
import type { KeepRunEvent } from './event.ts'
import { keepRun } from './keep-run.ts'

const env = readEnv([
  /** DynamoDB table of the service's items. */
  'STORAGE_TABLE',
  /** State machine of extractions. */
  'EXTRACT_MACHINE_ARN',
])
/** The variables that the function's construct must set. */
export type KeepRunEnv = keyof typeof env

const runs = createRunRecords(openItemTable(env.STORAGE_TABLE))
const describe = createDescribeRun(openMachines({ describe: describeExecution }), env.EXTRACT_MACHINE_ARN)

export const run = (event: KeepRunEvent) => keepRun(event, { runs, describe })
