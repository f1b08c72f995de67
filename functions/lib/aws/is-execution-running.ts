import * as z from 'zod/mini'
import { isUnderWay } from './executions.ts'
import type { JsonRequest } from './signed-json.ts'
import { createStepFunctionsRequest } from './step-functions-request.ts'

const execution = z.object({
  status: z.enum(['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED', 'PENDING_REDRIVE']),
})

/** Whether an execution is running. One that Step Functions has forgotten, after ninety days, is not. */
export const createIsExecutionRunning =
  (request: JsonRequest = createStepFunctionsRequest()) =>
  async (executionArn: string): Promise<boolean> => {
    try {
      return isUnderWay(execution.parse(await request('DescribeExecution', { executionArn })))
    } catch (error) {
      if (error instanceof Error && error.name === 'ExecutionDoesNotExist') return false
      throw error
    }
  }
