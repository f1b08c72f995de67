import { ExecutionDoesNotExist, InvalidArn, type SFNClient } from '@aws-sdk/client-sfn'
import { describeExecution } from '../../aws/executions.ts'
import { type RunExecution, runExecution } from './run-execution.ts'

/** A run as Step Functions knows it. `undefined`: there is none, or it is older than ninety days. */
export type DescribeRun = (name: string) => Promise<RunExecution | undefined>

export const createDescribeRun =
  (client: SFNClient, machineArn: string): DescribeRun =>
  async name => {
    try {
      const { status, ...found } = await describeExecution(client, { machineArn, name })
      return runExecution.parse({ ...found, name, status: status === 'PENDING_REDRIVE' ? 'RUNNING' : status })
    } catch (error) {
      if (error instanceof ExecutionDoesNotExist || error instanceof InvalidArn) return undefined
      throw error
    }
  }
