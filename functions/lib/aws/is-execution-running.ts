import * as z from 'zod/mini'
import { isUnderWay } from './executions.ts'
import { createJsonRequest, type JsonRequest } from './signed-json.ts'

const STEP_FUNCTIONS = {
  name: 'states',
  target: 'AWSStepFunctions',
  jsonVersion: '1.0',
  endpointName: 'SFN',
} as const

const execution = z.object({
  status: z.enum(['RUNNING', 'SUCCEEDED', 'FAILED', 'TIMED_OUT', 'ABORTED', 'PENDING_REDRIVE']),
})

/** Whether an execution is running. One that Step Functions has forgotten, after ninety days, is not. */
export const createIsExecutionRunning =
  (request: JsonRequest = createJsonRequest(STEP_FUNCTIONS)) =>
  async (executionArn: string): Promise<boolean> => {
    try {
      return isUnderWay(execution.parse(await request('DescribeExecution', { executionArn })))
    } catch (error) {
      if (error instanceof Error && error.name === 'ExecutionDoesNotExist') return false
      throw error
    }
  }
