import { DescribeExecutionCommand, ExecutionDoesNotExist, type SFNClient } from '@aws-sdk/client-sfn'

/** Whether an execution is under way. One that Step Functions has forgotten, after ninety days, is not. */
export const createIsExecutionRunning =
  (client: SFNClient) =>
  async (executionArn: string): Promise<boolean> => {
    try {
      const { status } = await client.send(new DescribeExecutionCommand({ executionArn }))
      return status === 'RUNNING' || status === 'PENDING_REDRIVE'
    } catch (error) {
      if (error instanceof ExecutionDoesNotExist) return false
      throw error
    }
  }
