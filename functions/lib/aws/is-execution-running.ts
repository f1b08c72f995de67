import * as z from 'zod/mini'
import { isUnderWay } from './executions.ts'
import { createJsonRequest, type JsonRequest, type ServiceSettings } from './signed-json.ts'

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

const STEP_FUNCTIONS = {
  name: 'states',
  target: 'AWSStepFunctions',
  jsonVersion: '1.0',
  endpointName: 'SFN',
} as const

/** Operations of Step Functions as its API Reference has them, without the SDK's client. */
export const createStepFunctionsRequest = (settings?: ServiceSettings): JsonRequest =>
  createJsonRequest(STEP_FUNCTIONS, settings)
