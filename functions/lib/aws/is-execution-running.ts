import { ExecutionDoesNotExist, type SFNClient } from '@aws-sdk/client-sfn'
import { describeExecution, isUnderWay } from './executions.ts'

/** Whether an execution is running. One that Step Functions has forgotten, after ninety days, is not. */
export const createIsExecutionRunning =
  (client: SFNClient) =>
  async (executionArn: string): Promise<boolean> => {
    try {
      return isUnderWay(await describeExecution(client, { executionArn }))
    } catch (error) {
      if (error instanceof ExecutionDoesNotExist) return false
      throw error
    }
  }
