import { openItemTable } from '../lib/cloud/open-items.ts'
import { describeExecution, openMachines } from '../lib/cloud/step-functions.ts'
import type { Environment } from '../lib/env.ts'
import { createDescribeRun } from '../lib/storage/runs/describe-run.ts'
import { createRunRecords } from '../lib/storage/runs/run-records.ts'
import type { KeepRunEvent } from './event.ts'
import { keepRun } from './keep-run.ts'

/** The variables that the function's construct must set. */
export const variables = [
  /** DynamoDB table of the service's items. */
  'STORAGE_TABLE',
  /** State machine of extractions. */
  'EXTRACT_MACHINE_ARN',
] as const
export type KeepRunEnv = (typeof variables)[number]

export const open = (env: Environment<KeepRunEnv>) => {
  const runs = createRunRecords(openItemTable(env.STORAGE_TABLE))
  const describe = createDescribeRun(openMachines({ describe: describeExecution }), env.EXTRACT_MACHINE_ARN)

  return (event: KeepRunEvent) => keepRun(event, { runs, describe })
}
