import type { DescribeRun } from '../lib/storage/runs/describe-run.ts'
import { type RunExecution, runExecution } from '../lib/storage/runs/run-execution.ts'
import type { RunRecords } from '../lib/storage/runs/run-records.ts'
import type { KeepRunEvent } from './event.ts'

interface KeepRunServices {
  runs: Pick<RunRecords, 'begin' | 'end'>
  describe: DescribeRun
}

/** Keeps a run where the storage API lists it. Repeated, or in another order, it comes to the same. */
export const keepRun = async (
  { detail }: KeepRunEvent,
  { runs, describe }: KeepRunServices,
): Promise<RunExecution> => {
  const isWhole = detail.inputDetails?.included !== false && detail.outputDetails?.included !== false
  const run = (isWhole ? undefined : await describe(detail.name)) ?? runExecution.parse(detail)
  await (run.status === 'RUNNING' ? runs.begin(run) : runs.end(run))
  return run
}
