import type { Machines } from '../../cloud/machines.ts'
import { type RunExecution, runExecution } from './run-execution.ts'

/** A run as Step Functions knows it. `undefined`: there is none, or it is older than ninety days. */
export type DescribeRun = (name: string) => Promise<RunExecution | undefined>

export const createDescribeRun =
  (machines: Pick<Machines, 'describe'>, machineArn: string): DescribeRun =>
  async name => {
    const found = await machines.describe({ machineArn, name })
    return found && runExecution.parse({ ...found, name })
  }
